"""The decisions of scripts/setup_env.py; its commands are run for real by every ``make test``."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import setup_env

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "names",
    [
        ["torch", "nvidia-cublas", "filelock"],
        ["torch", "nvidia-cudnn-cu13"],
        ["torch", "cuda-bindings"],
        ["torch", "triton"],
        ["torch", "NVIDIA-nccl-cu12"],
    ],
)
def test_a_cuda_build_is_known_by_its_company(names):
    assert setup_env.is_cuda_build(names)


@pytest.mark.parametrize("names", [[], ["torch", "filelock", "sympy"], ["tritonclient", "torch"]])
def test_a_cpu_build_comes_alone(names):
    assert not setup_env.is_cuda_build(names)


def test_the_tested_version_is_asked_for():
    constraints = "# torch==1.0\ntorchvision==0.29\ntorch==2.13.0\n"
    assert setup_env.pinned("torch", constraints) == "torch==2.13.0"
    assert setup_env.pinned("numpy", constraints) == "numpy"


def test_torch_is_pinned_without_a_build():
    """A local version (2.13.0+cpu) would refuse every build but one."""
    requirement = setup_env.pinned("torch", (ROOT / "constraints.txt").read_text(encoding="utf-8"))
    assert requirement.startswith("torch==")
    assert "+" not in requirement


def test_a_failed_installation_says_what_to_do(monkeypatch):
    monkeypatch.setattr(setup_env, "pip_install", lambda *_: False)
    with pytest.raises(SystemExit, match=r"torch==\S+ was not installed[\s\S]*TORCH=pip"):
        setup_env.install_torch(Path(sys.executable), "pip")


def test_help_needs_nothing_installed():
    """-I -S: no site-packages at all."""
    script = ROOT / "scripts" / "setup_env.py"
    command = [sys.executable, "-I", "-S", str(script), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--extras" in done.stdout
