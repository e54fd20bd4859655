"""Code that was copied into a project is left out, and nothing else that lies there."""

import os

import pytest

from indexer import DocumentIndex
from indexer.config import Settings
from indexer.parsing.code_languages import is_code_name
from indexer.sources.vendored import is_project, vendored
from indexer.sources.walk import walk
from lmk_encoder.testing import KeywordEncoder
from tests.indexer.conftest import write


@pytest.mark.parametrize(
    ("path", "names", "rule"),
    [
        ("lib/site-packages", {"numpy"}, "site-packages"),
        ("web/bower_components", {"jquery"}, "bower_components"),
        ("app/vendor", {"modules.txt", "github.com"}, "vendor with modules.txt"),
        ("app/vendor", {"autoload.php", "symfony"}, "vendor with autoload.php"),
        ("vendor/bundle", {"ruby"}, "vendor/bundle"),
        ("app/vendor", {"offer.pdf"}, ""),
        ("app/bundle", {"ruby"}, ""),
        ("app/third_party", {"zlib"}, ""),
        ("app/src", {"main.py"}, ""),
    ],
)
def test_rules_that_hold_anywhere(path, names, rule):
    parent, folder = path.split("/")
    assert vendored(parent, folder, names, in_project=False) == rule


@pytest.mark.parametrize(
    "folder", ["third_party", "_vendor", "extern", "externs", "Pods", "Carthage"]
)
def test_rules_that_hold_in_projects(folder):
    assert vendored("app", folder, {"a"}, in_project=True) == folder


def test_projects():
    assert is_project({"go.mod", "main.go"})
    assert not is_project({"letters", "offer.pdf"})


FILES = {
    "app/package.json": "{}",
    "app/main.js": "var a = 1\n",
    "app/third_party/zlib/inflate.c": "int a;\n",
    "app/third_party/zlib/README.md": "# zlib\n",
    "letters/third_party/note.py": "x = 1\n",
    "letters/vendor/offer.txt": "An offer of pumps.\n",
    "letters/vendor/list.csv": "pump,3\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        write(tmp_path / "d" / name, text)
    return tmp_path / "d"


def left_out(folder, paths, is_code=is_code_name):
    found = walk(paths, is_code=is_code)
    return {os.path.relpath(item.path, folder): item.excluded for item in found if item.excluded}


def test_code_only_and_only_in_projects(folder):
    assert left_out(folder, [folder]) == {
        "app/third_party/zlib/inflate.c": "vendored code (third_party): to read it, "
        "index with --all-code"
    }
    assert left_out(folder, [folder], is_code=None) == {}


def test_a_folder_that_is_named_itself_is_read(folder):
    assert left_out(folder, [folder / "app/third_party"]) == {}
    write(folder / "site-packages/a.py", "x = 1\n")
    assert left_out(folder, [folder / "site-packages"]) == {}
    assert list(left_out(folder, [folder])) == [
        "app/third_party/zlib/inflate.c",
        "site-packages/a.py",
    ]


def test_the_ledger_names_the_rule_and_the_switch_reads_it(folder, tmp_path):
    def add(*paths, **settings):
        chosen = Settings(parse_workers=1, **settings)
        with DocumentIndex(tmp_path / "x", settings=chosen, encoder=KeywordEncoder()) as index:
            index.add(paths)
            return {os.path.relpath(r.path, folder): (r.state, r.reason) for r in index.files()}

    name = "app/third_party/zlib/inflate.c"
    state, reason = add(folder)[name]
    assert state == "excluded"
    assert reason.startswith("vendored code (third_party)")
    assert add(folder, all_code=True)[name] == ("indexed", None)
    assert add(folder)[name][0] == "excluded"
    assert add(folder, folder / "app/third_party")[name] == ("indexed", None)
