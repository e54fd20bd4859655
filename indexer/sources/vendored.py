"""Folders of code that was copied into a project and is nobody's own there (pure).

Only their code is left out, and only by rules that say where they come from: a folder of PDFs may
be called "vendor", too.
"""

from collections.abc import Collection

# What a package manager alone names so.
_ALWAYS = frozenset({"site-packages", "dist-packages", "bower_components"})
# What anybody may name so: only within a project of code.
_IN_PROJECTS = frozenset({"third_party", "_vendor", "extern", "externs", "Pods", "Carthage"})
# vendor/ of Go, of PHP: a file in it tells.
_VENDOR_MARKS = ("modules.txt", "autoload.php")
_PROJECT_MARKS = frozenset(
    "pyproject.toml setup.py setup.cfg package.json bower.json go.mod Cargo.toml composer.json "
    "Gemfile pom.xml build.gradle build.gradle.kts CMakeLists.txt Makefile configure.ac "
    "meson.build BUILD BUILD.bazel WORKSPACE Package.swift Podfile Cartfile mix.exs .git".split()
)


def is_project(names: Collection[str]) -> bool:
    """Whether a folder that holds ``names`` is the root of a project of code."""
    return not _PROJECT_MARKS.isdisjoint(names)


def vendored(parent: str, folder: str, names: Collection[str], *, in_project: bool) -> str:
    """The name of the rule by which the code in ``folder`` (which lies in the folder ``parent``,
    and holds ``names``) is somebody else's, or ""; ``in_project``: a project is around it."""
    if folder in _ALWAYS or (in_project and folder in _IN_PROJECTS):
        return folder
    if folder == "vendor":
        mark = next((mark for mark in _VENDOR_MARKS if mark in names), None)
        return f"vendor with {mark}" if mark else ""
    if (parent, folder) == ("vendor", "bundle") and "ruby" in names:
        return "vendor/bundle"
    return ""
