"""`fieldhand policy check NAME JSON` and `fieldhand policy explain [NAME JSON]`: what the gate says. Nothing is run."""

from __future__ import annotations

import os

from edge.cli import put, say, settle
from edge.faults import UsageFault
from edge.record import Record
from edge.stop import read as read_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Args, Scene
    from edge.cli.args import Options
    from edge.config import Settings
    from edge.gate.decide import Ruling
    from edge.gate.policy import Policy
    from edge.gate.profile import Profile
    from edge.tool import Tool

CODES = {"allow": 0, "ask": 10, "deny": 11}
_USAGE = "policy check NAME JSON, or policy explain [NAME JSON]"


class _Here(Record):
    """What is in force for these options."""

    settings: Settings
    policy: Policy
    scene: Scene
    durable: bool
    stopped: str


def main(options: Options) -> int:
    """0 allow, 10 ask, 11 deny; 0 for the whole table. UsageFault for an unknown tool or what is no JSON."""
    words = options.words
    if not words or words[0] not in ("check", "explain") or len(words) > 3 or words == ("check",):
        raise UsageFault(f"policy knows: {_USAGE}", "for example policy check sensor_list {}")
    asked = _asked(words[1], words[2] if len(words) == 3 else "{}") if len(words) > 1 else None
    here = _here(options)
    for sentence in here.settings.warnings:
        say(f"fieldhand: {sentence}")
    if here.stopped:
        say(f"fieldhand: stopped here: {here.stopped} (fieldhand resume lifts it)")
    if asked is None:
        return _table(here, options)
    ruling = _ruling(here, options, *asked)
    if words[0] == "check":
        _check(ruling, options)
    else:
        _explain(ruling, here, options)
    return CODES[ruling.decision.verdict]


def _asked(name: str, text: str) -> tuple[Tool, Args]:
    """The tool and its checked arguments."""
    import json

    from edge.dialects import meant
    from edge.registry import find

    tool = find(name)
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageFault(f"the arguments are not JSON: {error}", 'for example \'{"name": "fan"}\'') from error
    return tool, meant(name, given, {tool.name: tool.schema})[1]


def _here(options: Options) -> _Here:
    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ)
    scene = settle.scene(state, os.environ, settings, options.config)
    stop = read_stop(state)
    return _Here(settings, settle.policy(settings), scene, bool(state), stop.words if stop is not None else "")


def _ruling(here: _Here, options: Options, tool: Tool, args: Args) -> Ruling:
    """What the gate says of the call at its first moment: nothing heard yet, nothing used up, stops as they are."""
    from edge.call import Call, Decision
    from edge.faults import Fault
    from edge.gate.decide import Ruling, ruling
    from edge.gate.policy import State
    from edge.record import replace

    call = Call(tool.name, args)
    try:
        effects = tool.effects(args, here.scene)
    except UsageFault:
        raise
    except Fault as fault:
        return Ruling(Decision("deny", "low", "call.impossible", str(fault)))
    granted = settle.grants(options, here.scene).fits(call, effects, 0.0)
    state = State(
        here.durable, here.scene.simulated, unattended=options.unattended, stopped=here.stopped, granted=granted
    )
    found = ruling(call, effects, here.policy, state, here.scene)
    if granted and found.decision.verdict == "ask":
        found = replace(found, steps=(*found.steps, f"{granted} would answer it"))
    return found


def _check(ruling: Ruling, options: Options) -> None:
    from edge.gate.explain import headline

    if options.json:
        import json

        from edge.record import as_dict

        put(json.dumps(as_dict(ruling.decision), ensure_ascii=False))
    else:
        put(headline(ruling.decision))


def _profile(here: _Here) -> Profile | None:
    from edge.config import profile

    return profile(here.settings, here.settings.profile) if here.settings.profile else None


def _explain(ruling: Ruling, here: _Here, options: Options) -> None:
    from edge.gate import explain

    if options.json:
        import json

        from edge.record import as_dict

        put(json.dumps({**as_dict(ruling), "digest": here.policy.digest}, ensure_ascii=False))
    else:
        put("\n".join(explain.call(ruling, here.policy, _profile(here))))


def _table(here: _Here, options: Options) -> int:
    from edge.gate import explain
    from edge.record import as_dict

    if options.json:
        import json

        rows = [as_dict(row) for row in explain.rows()]
        put(json.dumps({"policy": as_dict(here.policy), "digest": here.policy.digest, "rules": rows}))
    else:
        put("\n".join(explain.table(here.policy, _profile(here))))
    return 0
