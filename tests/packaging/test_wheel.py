"""What a wheel holds and asks for, and that the list of packages is the tree."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import tarfile
import zipfile

from bench import forms
from bench.forms import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def project() -> dict[str, Any]:
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)


def modules(root: str = ROOT) -> set[str]:
    """Every module below edge/, through the links."""
    found = set()
    for folder, _, files in os.walk(os.path.join(root, "edge"), followlinks=True):
        found |= {os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith(".py")}
    return found


def test_the_packages_listed_are_the_folders_of_the_tree() -> None:
    listed = project()["tool"]["setuptools"]["packages"]
    assert listed == sorted(listed)
    assert set(listed) == {os.path.dirname(path).replace("/", ".") for path in modules()}


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {os.path.dirname(path) for path in modules()}
    assert [folder for folder in sorted(folders) if f"{folder}/__init__.py" not in modules()] == []


def test_the_links_are_relative_and_stay_in_the_checkout() -> None:
    for name in ("tools", "peripherals"):
        assert os.readlink(os.path.join(ROOT, "edge", name)) == f"../{name}"


def test_a_wheel_holds_exactly_the_tree(wheel: Path, tree: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.split("/")[0].endswith((".dist-info", ".data"))}
    assert held == modules(str(tree))


def test_a_wheel_starts_by_the_launcher_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        scripts = [name for name in archive.namelist() if ".data/" in name]
        assert [name.partition(".data/")[2] for name in scripts] == ["scripts/fieldhand"]
        with open(os.path.join(ROOT, "bin", "fieldhand"), "rb") as launcher:
            assert archive.read(scripts[0]) == launcher.read()
        (points,) = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        groups = [line for line in archive.read(points).decode().splitlines() if line.startswith("[")]
        assert groups == ["[gpiozero_pin_factories]"]  # no console_scripts: pip would write starters of its own


def test_a_wheel_asks_for_the_five_libraries(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        told = email.message_from_bytes(archive.read(name))
    wanted = [line.replace(" ", "") for line in told.get_all("Requires-Dist", []) if "extra" not in line]
    plain = sorted(line.replace('"', "'") for line in wanted)
    assert plain == [
        "gpiozero>=2.0.1.post3",
        "httpx",
        "pyserial",
        "smbus2>=0.6",
        "tomli;python_version<'3.11'",
    ]
    assert told["Requires-Python"] == ">=3.9"
    assert told["License-Expression"] == "Apache-2.0"


def test_a_source_archive_holds_all_that_a_wheel_is_made_from(tmp_path: Path) -> None:
    """Built by the build system itself, so it needs the setuptools that `.[test]` brings."""
    source = forms.checkout(str(tmp_path / "source"))
    code = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    forms.run([sys.executable, "-c", code, str(tmp_path / "out")], source)
    (archive,) = (tmp_path / "out").iterdir()
    with tarfile.open(archive) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
        links = [entry.name for entry in held if entry.issym()]
    assert modules() | {"bin/fieldhand", "pyproject.toml", "README.md", "LICENSE"} <= names
    assert links == []


def test_the_installed_launcher_is_the_script_itself(installed: Path, editable: Path, tree: Path) -> None:
    """Installers rewrite the first line of Python scripts; this one is none."""
    written = (tree / "bin" / "fieldhand").read_bytes()
    assert installed.read_bytes() == written
    assert editable.read_bytes() == written
    assert os.access(installed, os.X_OK)


def test_an_editable_install_is_a_plain_path_line(editable: Path) -> None:
    """An import hook in its place costs every start more than Python itself."""
    (packages,) = (editable.parent.parent / "lib").glob("python3.*/site-packages")
    lines = [line for file in packages.glob("*.pth") for line in file.read_text().splitlines()]
    assert [os.path.isdir(os.path.join(line, "edge")) for line in lines] == [True]
    assert not list(packages.glob("__editable__*finder*"))


def test_modules_of_a_wheel_are_compiled_when_installed(installed: Path) -> None:
    (packages,) = (installed.parent.parent / "lib").glob("python3.*/site-packages")
    sources = sorted(file.stem for file in packages.glob("edge/*.py"))
    assert sorted(file.name.split(".")[0] for file in packages.glob("edge/__pycache__/*.pyc")) == sources


def test_importing_the_package_imports_nothing_more(installed: Path) -> None:
    code = "import sys; before = set(sys.modules); import edge; print(sorted(set(sys.modules) - before))"
    python = str(installed.with_name("python"))
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['__future__', 'edge']"
