"""Makes the forms in which Fieldhand is started: a clean checkout, a wheel in a fresh environment, the single file.

The wheel is installed without its dependencies: what starts needs none of them, and no network is asked.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig

from bench.harness import Broken

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ("pyproject.toml", "README.md", "LICENSE", "bin", "edge", "tools", "peripherals")


def run(argv: list[str], cwd: str = ROOT) -> str:
    """The output of a command; Broken with what it said when it fails."""
    done = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    said = done.stdout.decode(errors="replace")
    if done.returncode:
        raise Broken(f"`{' '.join(argv)}` ended with {done.returncode}: {said.strip()[-600:]}")
    return said


def checkout(target: str, root: str = ROOT) -> str:
    """A copy of what a wheel is made from, links as links, nothing compiled; the folder."""
    os.makedirs(target)
    dropped = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        source = os.path.join(root, part)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(target, part), symlinks=True, ignore=dropped)
        elif os.path.exists(source):
            shutil.copy2(source, target)
    return target


def builder() -> list[str]:
    """How pip builds here: with the setuptools at hand when it is new enough, else in isolation (from the network)."""
    try:
        recent = int(importlib.metadata.version("setuptools").split(".")[0]) >= 77
    except importlib.metadata.PackageNotFoundError:
        recent = False
    return ["--no-build-isolation", "--no-index"] if recent else []


def wheel(folder: str, root: str = ROOT) -> str:
    """Build the wheel from a clean copy below `folder`; its path."""
    source = checkout(os.path.join(folder, "source"), root)
    target = os.path.join(folder, "wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "wheel", "--quiet", "--no-deps", *builder(), "--wheel-dir", target, source])
    (name,) = os.listdir(target)
    return os.path.join(target, name)


def environment(folder: str, *wanted: str, bare: bool = False) -> str:
    """A fresh environment of the running Python's version at `folder` with what is `wanted` installed; its bin folder.

    `wanted` are arguments of `pip install`: a wheel, or `--editable` and a folder. `bare`: without pip in it, which is
    quicker made, but starts with less than what a person gets.
    """
    run([sys.executable, "-m", "venv", *(["--without-pip"] if bare else []), folder])
    python = os.path.join(folder, "bin", "python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    # What builds an editable install is imported by the new environment's Python, which has no setuptools of its own.
    ours = f"PYTHONPATH={sysconfig.get_path('purelib')}"
    run(["env", ours, *pip, "install", "--quiet", "--no-deps", *builder(), *wanted])
    return os.path.join(folder, "bin")


def single(target: str, root: str = ROOT) -> str:
    """The single file for the running Python, at `target`."""
    run([sys.executable, os.path.join(root, "bin", "single.py"), target])
    return target
