"""Write constraints.txt: the versions this environment has of all that the project pulls in.

    .venv/bin/python scripts/pin.py > constraints.txt

Run it after the whole suite has passed in an environment with all extras but faiss-gpu.
Only distributions that can be reached from pyproject.toml are listed, so whatever else lies in
the environment leaves no trace.
"""

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = (
    "dev",
    "faiss",
    "bench",
    "eval",
    "train",
    "mteb",
)  # faiss-gpu is left out: it overwrites faiss-cpu
HEADER = "# The tested versions. Written by scripts/pin.py; pyproject.toml says what is allowed.\n"


def wanted(requirement: Requirement, extras: Iterable[str]) -> bool:
    """Whether the marker of a requirement holds here, under any of the extras asked for."""
    if requirement.marker is None:
        return True
    return any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def reachable(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Canonical name -> installed version of everything these requirements pull in."""
    versions: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    queue = list(requirements)
    while queue:
        requirement = queue.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError as error:
            raise SystemExit(f"{requirement} is not installed: install it, then pin.") from error
        # A local part (2.13.0+cpu) names a build; the constraint must admit the other builds.
        versions[key[0]] = Version(found.version).public
        needs = [Requirement(line) for line in found.requires or ()]
        queue += [need for need in needs if wanted(need, requirement.extras)]
    return versions


def main() -> None:
    """Print the constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["dependencies"] + [
        line for extra in EXTRAS for line in project["optional-dependencies"][extra]
    ]
    versions = reachable(Requirement(line) for line in lines)
    print(HEADER + "\n".join(f"{name}=={version}" for name, version in sorted(versions.items())))


if __name__ == "__main__":
    main()
