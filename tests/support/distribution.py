"""A tiny package as an installer would leave it, in a folder that is put on the path of modules."""

from __future__ import annotations

from pathlib import Path

TOOL = """
from edge.call import Effect, Observation
from edge.tool import Tool

TOOL = Tool(
    {name!r},
    {about!r},
    {{"type": "object", "properties": {{"word": {{"type": "string"}}}}, "required": [], "additionalProperties": False}},
    lambda args, scene: (Effect("read", "memory:tape"),),
    lambda args, hands: Observation(True, "made elsewhere"),
    lambda args, scene: "does it",
    ("word=x",),
)
"""
ABOUT = "What another package does for this board."


def tool(name: str, about: str = ABOUT) -> str:
    """The text of a module that holds one tool, `TOOL`."""
    return TOOL.format(name=name, about=about)


def installed(folder: Path, points: dict[str, str], modules: dict[str, str]) -> Path:
    """A folder with these modules and the metadata of a distribution with these entry points (name -> where)."""
    info = folder / "field_extras-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: field-extras\nVersion: 1.0\n")
    lines = [f"{name} = {where}" for name, where in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[fieldhand.tools]", *lines, ""]))
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder
