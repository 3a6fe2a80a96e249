"""Each form of Fieldhand, made once per session from one copy of the checkout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bench import forms


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@pytest.fixture(scope="session")
def tree(place: Path) -> Path:
    """The tree as it was at the first look: somebody may be writing in it while the tests run."""
    return Path(forms.checkout(str(place / "tree")))


@pytest.fixture(scope="session")
def checkout(place: Path, tree: Path) -> Path:
    """The launcher of a clean checkout. The Python that runs the tests stands beside it, so that it is the one used."""
    folder = place / "checkout"
    forms.checkout(str(folder), str(tree))
    (folder / "bin" / "python3").symlink_to(sys.executable)
    return folder / "bin" / "fieldhand"


@pytest.fixture(scope="session")
def wheel(place: Path, tree: Path) -> Path:
    folder = place / "built"
    folder.mkdir()
    return place / forms.wheel(str(folder), str(tree))


@pytest.fixture(scope="session")
def installed(place: Path, wheel: Path) -> Path:
    return place / forms.environment(str(place / "installed"), str(wheel), bare=True) / "fieldhand"


@pytest.fixture(scope="session")
def editable(place: Path, tree: Path) -> Path:
    source = forms.checkout(str(place / "editable-source"), str(tree))
    return place / forms.environment(str(place / "editable"), "--editable", source, bare=True) / "fieldhand"


@pytest.fixture(scope="session")
def single(place: Path, tree: Path) -> Path:
    return place / forms.single(str(place / "single"), str(tree))


@pytest.fixture(scope="session")
def linked(place: Path, installed: Path) -> Path:
    """A link to a relative link to the installed launcher, as in /usr/local/bin."""
    folder = place / "links"
    folder.mkdir()
    (folder / "second").symlink_to(os.path.relpath(installed, folder))
    (folder / "fieldhand").symlink_to("second")
    return folder / "fieldhand"


@pytest.fixture(params=["checkout", "installed", "editable", "linked", "single"])
def form(request: pytest.FixtureRequest) -> Path:
    """The command of each form."""
    command: Path = request.getfixturevalue(request.param)
    return command
