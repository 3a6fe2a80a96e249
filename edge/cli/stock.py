"""Which tools a run has: selected, with all they need, extended by plug-ins, in the language of the settings."""

from __future__ import annotations

from edge.catalogue import Catalogue, lacking, select
from edge.gate.lists import offered
from edge.gate.names import canonical
from edge.hands.needs import missing
from edge.registry import TOOLS, every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene
    from edge.config import ToolSettings
    from edge.gate.policy import Policy
    from edge.tool import Tool


def catalogue(settings: ToolSettings, policy: Policy, scene: Scene, named: bool) -> tuple[Catalogue, tuple[str, ...]]:
    """The catalogue, and sentences on what the settings ask for and cannot have.

    `named`: with every tool that there is, as a call of a person is judged and recorded whatever it names.
    """
    optional = ("*",) if named else settings.optional
    names, told = select(TOOLS, optional, bool(scene.sensors), bool(scene.outputs), bool(scene.ports))
    if named:
        names = tuple(TOOLS)
    without = {} if named else lacking(scene)
    tools = every(name for name in names if named or offered(name, policy))
    absent = {tool.name: why for tool in tools for why in [without.get(tool.name) or missing(tool.needs)] if why}
    present = [tool for tool in tools if tool.name not in absent]
    named_there = {canonical(one) for one in settings.optional}
    asked = [name for name in absent if name in named_there]
    told += tuple([f"tools.optional names {name}, and it is not offered: {absent[name]}" for name in asked])
    if settings.plugins:
        from edge.cli.plugins import extended

        present, said = extended(present, settings.plugins)
        unknown = tuple(f"tools.optional names {tool.name!r}, which this" for tool in present)
        told = tuple([one for one in told if not one.startswith(unknown)]) + said
        absent.update({tool.name: why for tool in present for why in [missing(tool.needs)] if why})
        present = [tool for tool in present if not missing(tool.needs) and (named or offered(tool.name, policy))]
        absent = {name: why for name, why in absent.items() if not any(tool.name == name for tool in present)}
    return Catalogue(_speaking(present, settings.locale), settings.deferred, absent), told


def _speaking(tools: list[Tool], locale: str) -> tuple[Tool, ...]:
    if locale == "en":
        return tuple(tools)
    from edge.locales import speaking

    return speaking(tools, locale)
