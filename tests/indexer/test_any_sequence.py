"""Any sequence of adding, changing, moving, deleting, dying and compacting ends in the index that
a fresh run over the final files makes."""

import shutil
import tempfile
from pathlib import Path

import lancedb.table
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from indexer import DocumentIndex
from indexer.config import Settings
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_shown, check_whole, contents, tables_of

# A README lends its first words to the files beside and below it.
NAMES = st.sampled_from(["a.txt", "b.md", "sub/c.txt", "sub/d.py", "e.txt", "README.md"])
TEXTS = st.sampled_from(["One.\n", "Two words.\n", "# Three\n\nof them.\n", "Four. " * 40, ""])
WRITES = ("add", "delete", "merge_insert")


class Died(BaseException):
    """Stands for SIGKILL."""


class AnySequence(RuleBasedStateMachine):
    """A folder, and an index that is brought in step with it now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.folder = self.place / "d"
        self.folder.mkdir()
        self.index = opened(self.place / "index")
        self.clock = 10_000.0

    def teardown(self) -> None:
        if self.index.exists or any(self.folder.rglob("*.*")):
            self.index.add([self.folder])
            check_whole(self.index)
            assert self.index.doctor() == []
            fresh = opened(self.place / "fresh")
            fresh.add([self.folder])
            assert contents(self.index) == contents(fresh)
        shutil.rmtree(self.place)

    @rule(name=NAMES, text=TEXTS)
    def write(self, name: str, text: str) -> None:
        self.clock -= 10
        write(self.folder / name, text, age_s=self.clock)

    @rule(old=NAMES, new=NAMES)
    def move(self, old: str, new: str) -> None:
        if (self.folder / old).exists() and old != new:
            (self.folder / new).parent.mkdir(exist_ok=True)
            (self.folder / old).replace(self.folder / new)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    @rule()
    def add(self) -> None:
        self.index.add([self.folder])

    @rule(after=st.integers(0, 8))
    def die(self, after: int) -> None:
        """A run that ends at one of its writes, as if the process were killed there."""
        left = after
        with pytest.MonkeyPatch.context() as patch:
            for name in WRITES:
                original = getattr(lancedb.table.LanceTable, name)

                def counted(*arguments, original=original, **options):
                    nonlocal left
                    if left <= 0:
                        raise Died
                    left -= 1
                    return original(*arguments, **options)

                patch.setattr(lancedb.table.LanceTable, name, counted)
            try:
                self.index.add([self.folder])
            except Died:
                self.index = opened(self.place / "index")

    @precondition(lambda self: self.index.exists)
    @rule()
    def compact(self) -> None:
        tables_of(self.index).optimize()

    @precondition(lambda self: self.index.exists)
    @invariant()
    def what_is_shown_is_whole(self) -> None:
        check_shown(self.index)


def opened(path: Path) -> DocumentIndex:
    chosen = Settings(parse_workers=1, batch_chars=1)
    return DocumentIndex(path, settings=chosen, encoder=KeywordEncoder())


@pytest.mark.slow
class TestAnySequence(AnySequence.TestCase):
    settings = settings(
        max_examples=8,
        stateful_step_count=8,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
