"""One tree under two names: edge/tools and edge/peripherals are relative links, and the package list is whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.sources import ROOT, none_of, sources

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LINKS = {"edge/tools": "../tools", "edge/peripherals": "../peripherals"}


def wrong_links(root: Path) -> list[str]:
    """What is wrong with the links below a checkout, as sentences."""
    found = []
    for link, target in LINKS.items():
        path = root / link
        if not path.is_symlink():
            found.append(f"{link} is no link")
        elif os.readlink(path) != target:
            found.append(f"{link} points to {os.readlink(path)}, not to {target}")
        elif not path.is_dir():
            found.append(f"{link} points to nothing")
    return found


def packages(modules: dict[str, str]) -> set[str]:
    """The packages among module -> path."""
    return {module for module, path in modules.items() if path.endswith("/__init__.py")}


def test_both_links_are_there_and_relative() -> None:
    none_of(wrong_links(ROOT))


def test_the_package_list_is_the_tree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    tree = packages({source.module: source.path for source in sources()})
    assert sorted(listed) == sorted(tree)


def test_every_module_is_in_a_package() -> None:
    modules = {source.module for source in sources()}
    none_of(
        [
            f"{module}: its folder has no __init__.py"
            for module in modules
            if module.rpartition(".")[0] not in {*modules, ""}
        ]
    )


def test_a_wrong_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "edge").mkdir()
    (tmp_path / "edge/tools").write_text("../tools")
    (tmp_path / "edge/peripherals").symlink_to(tmp_path)
    first, second = wrong_links(tmp_path)
    assert first == "edge/tools is no link" and second.startswith("edge/peripherals points to /")
    (tmp_path / "edge/tools").unlink()
    (tmp_path / "edge/tools").symlink_to("../tools")
    assert wrong_links(tmp_path)[0] == "edge/tools points to nothing"
    assert packages({"edge": "edge/__init__.py", "edge.turn": "edge/turn.py"}) == {"edge"}
