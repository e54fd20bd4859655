"""Make a virtual environment that holds this project, with a torch that fits the machine.

    python scripts/setup_env.py .venv --extras dev

Standard library only: it runs before anything is installed. The one difficulty is torch. On
Linux the registry's default build brings gigabytes of CUDA libraries, of no use without a GPU.
So pip is asked first what it would install (it may well know a CPU build, from the user's own
configuration); only if that is a CUDA build, and there is no GPU, is uv asked for the CPU one.
pip's own configuration (indexes, constraint files, proxies) is left to pip throughout.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
# Distributions that only a CUDA build of torch asks for.
CUDA_PARTS = re.compile(r"(nvidia|cuda)-|triton$", re.IGNORECASE)
TORCH_CHOICES = ("auto", "pip", "cpu")


def say(text: str) -> None:
    """One line of progress, at once even when the output is a pipe."""
    print(f"setup: {text}", flush=True)


def stop(what: str, fix: str) -> SystemExit:
    """The exception to raise when setting up cannot go on."""
    return SystemExit(f"setup: {what}\nsetup: {fix}")


def python_of(venv: Path) -> Path:
    """The interpreter inside ``venv``."""
    return venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def run(command: Sequence[str | Path]) -> bool:
    """Run a command with its output shown; True if it succeeded."""
    return subprocess.run([str(part) for part in command], check=False).returncode == 0


def make_venv(venv: Path) -> Path:
    """Create ``venv`` unless it is there, and return its interpreter."""
    python = python_of(venv)
    if not python.exists():
        say(f"creating {venv} with Python {sys.version.split()[0]}")
        if not run([sys.executable, "-m", "venv", venv]):
            shutil.rmtree(venv, ignore_errors=True)
            raise stop(
                f"{sys.executable} cannot create virtual environments.",
                "On Debian and Ubuntu: apt-get install python3-venv. Or choose another "
                "interpreter: make demo PYTHON=/path/to/python3",
            )
    return python


def has_nvidia_gpu() -> bool:
    """Whether the driver lists a GPU (``nvidia-smi -L`` prints one line for each)."""
    if shutil.which("nvidia-smi") is None:
        return False
    listing = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return listing.returncode == 0 and "GPU" in listing.stdout


def pinned(name: str, constraints: str) -> str:
    """``name==version`` as it stands in the text of a constraints file, else plain ``name``."""
    match = re.search(rf"^{re.escape(name)}==\S+", constraints, re.MULTILINE | re.IGNORECASE)
    return match.group() if match else name


def is_cuda_build(names: Iterable[str]) -> bool:
    """Whether these distributions, resolved together with torch, are those of a CUDA build."""
    return any(CUDA_PARTS.match(name) for name in names)


def resolve(python: Path, requirement: str) -> list[str]:
    """Names of the distributions that pip would install for ``requirement``."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [python, "-m", "pip", "install", "--quiet", "--dry-run", "--report", report]
        if not run([*command, "-c", CONSTRAINTS, requirement]):
            raise stop(f"pip finds no {requirement}.", "pip's message above says why.")
        plan = json.loads(report.read_text(encoding="utf-8"))
    return [item["metadata"]["name"] for item in plan["install"]]


def install_torch(python: Path, choice: str) -> None:
    """Install the tested torch: the CPU build where there is no GPU (``choice`` "auto")."""
    requirement = pinned("torch", CONSTRAINTS.read_text(encoding="utf-8"))
    if choice == "auto" and has_nvidia_gpu():
        say("an NVIDIA GPU is here: taking the default build of torch")
        choice = "pip"
    elif choice == "auto":
        # Nothing left to install (torch is there) is an empty plan, and pip's at once.
        choice = "cpu" if is_cuda_build(resolve(python, requirement)) else "pip"
    if choice == "pip":
        say(f"installing {requirement} with pip")
        installed = pip_install(python, requirement)
    else:
        say(f"installing {requirement}, the CPU build, with uv")
        uv = [python, "-m", "uv", "pip", "install", "--python", python, "--torch-backend", "cpu"]
        installed = pip_install(python, "uv") and run([*uv, "-c", CONSTRAINTS, requirement])
    if not installed:
        raise stop(
            f"{requirement} was not installed; the message above says why.",
            f"Accept what pip offers, CUDA included (make demo TORCH=pip), or put a wheel of it "
            f"into {python.parent.parent} yourself and run this again.",
        )


def pip_install(python: Path, *arguments: str | Path) -> bool:
    """``pip install`` under the tested versions; True if it succeeded."""
    return run([python, "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS, *arguments])


def main(argv: Sequence[str] | None = None) -> None:
    """Create or bring up to date one environment."""
    parser = argparse.ArgumentParser(description="Make a virtual environment for this project.")
    parser.add_argument("venv", type=Path, help="folder of the environment")
    parser.add_argument("--extras", default="", help="extras of pyproject.toml, for example dev")
    parser.add_argument(
        "--torch",
        choices=TORCH_CHOICES,
        default="auto",
        help="pip: whatever pip takes; cpu: the CPU build; auto: cpu unless there is a GPU",
    )
    options = parser.parse_args(argv)

    python = make_venv(options.venv)
    # A pip before 22.2 lacks --report.
    if not run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip"]):
        raise stop("pip could not be brought up to date.", "Is the package index reachable?")
    install_torch(python, options.torch)
    extras = f"[{options.extras}]" if options.extras else ""
    say(f"installing the project{extras and ' with ' + options.extras}")
    if not pip_install(python, "--editable", f"{ROOT}{extras}"):
        raise stop("The project was not installed.", "pip's message above says why.")
    say(f"{options.venv} is ready")


if __name__ == "__main__":
    main()
