"""What files inherit from the README of their project."""

import time

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.ingest.projects import MOST_CHARS, Projects, summary
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write
from tests.indexer.invariants import check_whole

MARKDOWN = """<p align="center"><img src="logo.png"></p>

[![CI](https://x/badge.svg)](https://x) ![cover](c.svg)

# **Tidewatch**

Tide gauges on [piers](https://piers), one `collector` on land.
One page for the *harbour* office.

Second paragraph.
"""
RST = """.. image:: logo.png
   :alt: a logo

|version|

=========
Tidewatch
=========

Tide gauges on `piers <https://piers>`_, one ``collector`` on land.
One page for the *harbour* office.

.. note:: Later.
"""
SAID = "Tidewatch. Tide gauges on piers, one collector on land. One page for the harbour office."


@pytest.mark.parametrize(
    ("readme", "said"),
    [
        (MARKDOWN, SAID),
        (RST, SAID),
        (
            "Tidewatch\n---------\nTide gauges on many a pier.\n",
            "Tidewatch. Tide gauges on many a pier.",
        ),
        (
            "<h1 align=center>Tidewatch</h1>\n\nTide gauges on many a pier.",
            "Tidewatch. Tide gauges on many a pier.",
        ),
        (
            "Tide gauges on many a pier, without a title.",
            "Tide gauges on many a pier, without a title.",
        ),
        ("# Tidewatch\n\n## Install\n\nmake\n", "Tidewatch"),
        (
            "# Tidewatch\n\n- a\n\nIt looks after the tide gauges.\n",
            "Tidewatch. It looks after the tide gauges.",
        ),
        ("#\n\n====\n", ""),
        ("", ""),
    ],
)
def test_the_title_and_the_first_paragraph(readme, said):
    assert summary(readme) == said


@pytest.mark.parametrize(
    "again",
    [
        " ",
        "`",
        "` <a",
        "<h1>",
        "<!--",
        "<",
        "__a",
        "__a b ",
        "**a ",
        "[",
        "![",
        "[![",
        "[a](",
        "[](",
        "|a",
        ".. \n",
    ],
)
def test_markup_that_never_ends_takes_no_time(again):
    readme = "# Tool\n\nA tool `" + again * (16_384 // len(again))
    begun = time.process_time()
    assert summary(readme).startswith("Tool")
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("one <!-- two\nthree -->four", "one four"),
        ("one <!-- two <!-- three", "one <!-- two <!-- three"),
        ("a < b and <i>c</i> < d", "a c < d"),
        ("[a [b](c) d] [e][f] [g] h", "a [b d] e [g] h"),
        ("``a``_ `b <c>`_ `d <e> f` `g\nh `", "a b d f g h"),
        ("**a b** * c * d*e* __f", "a b * c * de __f"),
    ],
)
def test_markup_is_taken_off(markup, said):
    readme = f"# Tool\n\nIt is of five words: {markup}\n"
    assert summary(readme) == f"Tool. It is of five words: {said}"


def test_a_long_paragraph_ends_at_a_word():
    said = summary("# Words\n\n" + "tide " * 200)
    assert said.endswith("tide")
    assert MOST_CHARS - 5 < len(said) <= MOST_CHARS


def test_the_nearest_readme_counts(tmp_path):
    names = [
        "README.md",
        "a.py",
        "sub/readme.rst",
        "sub/deep/b.rs",
        "sub/deep/c.pdf",
        "docs/d.html",
    ]
    for name in names:
        write(tmp_path / name, f"# About {name}\n")
    paths = [(str(tmp_path / name), str(tmp_path / name).encode()) for name in names]
    contexts = {name: Projects(paths).context(str(tmp_path / name)) for name in names}
    assert contexts == {
        "README.md": "",
        "a.py": "About README.md\n",
        "sub/readme.rst": "",
        "sub/deep/b.rs": "About sub/readme.rst\n",
        "sub/deep/c.pdf": "",  # it has a title of its own
        "docs/d.html": "About README.md\n",
    }


@pytest.fixture
def project(tmp_path):
    write(tmp_path / "p/README.md", "# Tidewatch\n\nIt looks after the tide gauges.\n")
    write(tmp_path / "p/src/spool.py", "def keep(reading):\n    ring.append(reading)\n")
    write(tmp_path / "q/other.py", "def keep(letter):\n    shelf.append(letter)\n")
    return tmp_path


@pytest.fixture
def index(tmp_path):
    with DocumentIndex(
        tmp_path / "index.lmk", settings=Settings(parse_workers=1), encoder=KeywordEncoder()
    ) as opened:
        yield opened


def similarity(index, query, path):
    hits = index.search(query, k=10, weights={"places": 1.0}, explain=True)
    (value,) = [h.explanation.signals[0].value for h in hits if h.path == str(path)]
    return value


def test_a_file_is_like_what_its_project_is_about(index, project):
    index.add([project])
    own, foreign = project / "p/src/spool.py", project / "q/other.py"
    assert similarity(index, "tide gauges", own) > similarity(index, "tide gauges", foreign) + 0.2
    assert index.verify().findings == []
    check_whole(index)


def test_a_readme_that_changes_its_first_words_changes_the_files_below_it(index, project):
    index.add([project])
    encoded = index.encoder.encoded_texts
    write(
        project / "p/README.md",
        "# Tidewatch\n\nIt looks after the tide gauges.\n\nMore.\n",
        age_s=90,
    )
    report = index.add([project])
    assert [path.rpartition("/")[2] for path in report.changed] == ["README.md"]
    assert index.encoder.encoded_texts == encoded + 1

    write(project / "p/README.md", "# Bakery\n\nIt looks after rye bread and rolls.\n", age_s=80)
    assert index.pending().changed == 2
    report = index.add([project])
    assert {path.rpartition("/")[2] for path in report.changed} == {"README.md", "spool.py"}
    own = project / "p/src/spool.py"
    assert similarity(index, "rye bread", own) > similarity(index, "tide gauges", own) + 0.1
    assert index.add([project]).changed == []
    check_whole(index)


def test_a_readme_that_goes_takes_its_words_along(index, project):
    index.add([project])
    (project / "p/README.md").unlink()
    report = index.add([project])
    assert [path.rpartition("/")[2] for path in report.changed] == ["spool.py"]
    check_whole(index)


def test_a_file_that_is_added_by_itself_has_the_same_context(index, project):
    index.add([project])
    report = index.add([project / "p/src/spool.py"])
    assert (report.added, report.changed) == ([], [])


def test_moved_within_its_project_a_file_is_not_encoded(index, project):
    index.add([project])
    encoded = index.encoder.encoded_texts
    (project / "p/src/spool.py").rename(project / "p/ring.py")
    assert [path.rpartition("/")[2] for path in index.add([project]).moved] == ["ring.py"]
    assert index.encoder.encoded_texts == encoded


def test_the_same_bytes_in_two_projects_are_shown_once(index, project):
    write(project / "q/spool.py", (project / "p/src/spool.py").read_bytes())
    index.add([project])
    hits = index.search("ring reading", k=10)
    (hit,) = [hit for hit in hits if hit.path.endswith("spool.py")]
    assert len({*hit.paths, *hit.duplicates}) == 2
    check_whole(index)


def test_an_empty_readme_means_the_same_to_a_run_over_one_file(index, project):
    write(project / "p/src/README.md", "")
    index.add([project])
    report = index.add([project / "p/src/spool.py"])
    assert (report.added, report.changed) == ([], [])
