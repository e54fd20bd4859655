"""What the next run would have to do: counted by looking at the files, not by reading them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from indexer.config import Settings
from indexer.documents import FileRecord
from indexer.ingest.changes import RETRIED, asks_for, make_plan
from indexer.ingest.feed import now_possible
from indexer.ingest.finding import find_files
from indexer.ingest.projects import Projects
from indexer.sources.files import path_key


@dataclass(frozen=True, slots=True)
class Pending:
    """Files that are ``new``, ``changed`` (or so young that they have to be looked at), ``gone``,
    and those that ``retry`` what could not be read before."""

    new: int
    changed: int
    gone: int
    retry: int


def count_pending(
    known: Mapping[str, FileRecord], roots: tuple[str, ...], settings: Settings, index_path: Path
) -> Pending:
    """Walk the ``roots`` of an index and compare with its ledger. A root that is not there (an
    unmounted disk) leaves what is known of it as it is."""
    found = list(find_files([Path(root) for root in roots], settings, index_path))
    possible = now_possible(settings)
    plan = make_plan(
        known,
        found,
        [path_key(Path(root)) for root in roots],
        now_ns=time.time_ns(),
        now_possible=possible,
        is_of_now=Projects.of(known.values(), found).is_of_now,
    )
    before = [known.get(file.path) for file in plan.suspects]
    retry = sum(
        record is not None and (record.state in RETRIED or asks_for(record, possible))
        for record in before
    )
    new = sum(record is None for record in before)
    return Pending(new=new, changed=len(before) - new - retry, gone=len(plan.gone), retry=retry)
