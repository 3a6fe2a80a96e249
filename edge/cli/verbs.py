"""The operator's commands: tools, tool, policy, doctor, tape, sim."""

from __future__ import annotations

import os
import sys

from edge.cli import OUT, put
from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.cli.args import Options


def tools(options: Options) -> int:
    """`fieldhand tools [--json]`."""
    if options.json:
        import json

        from edge.registry import every

        rows = [{"name": t.name, "about": t.about, "schema": t.schema, "examples": t.examples} for t in every()]
        put(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        from edge.cli.command import catalogue

        put(catalogue())
    return 0


def tool(options: Options) -> int:
    """`fieldhand tool NAME key=value ...`: one gated call; the observation on stdout."""
    from edge.cli.command import one_call
    from edge.cli.oneshot import carry

    if not options.words:
        raise UsageFault("tool needs the name of a tool", "fieldhand tools lists them")
    model = one_call(list(options.words))
    code = carry(options, "tool " + " ".join(options.words), model)
    return 1 if code == 0 and model.failed else code


def policy(options: Options) -> int:
    """`fieldhand policy check NAME JSON`: 0 allow, 10 ask, 11 deny. Nothing is run."""
    import json

    from edge.call import Call
    from edge.cli import settle
    from edge.gate.decide import decide
    from edge.gate.policy import Policy, State
    from edge.record import as_dict
    from edge.registry import find
    from edge.schema import fit

    if len(options.words) not in (2, 3) or options.words[0] != "check":
        raise UsageFault("policy knows: policy check NAME JSON", "for example policy check sensor_list {}")
    found = find(options.words[1])
    try:
        given = json.loads(options.words[2]) if len(options.words) == 3 else {}
    except ValueError as error:
        raise UsageFault(f"the arguments are not JSON: {error}", 'for example \'{"name": "fan"}\'') from error
    args, _ = fit(given, found.schema)
    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ)
    scene = settle.scene(state, os.environ, settings, options.config)
    rules = Policy(settings.preset, settings.budgets.calls_per_hour, settings.budgets.tool_seconds)
    decision = decide(
        Call(found.name, args), found.effects(args, scene), rules, State(bool(state), scene.simulated), scene
    )
    if options.json:
        put(json.dumps(as_dict(decision), ensure_ascii=False))
    else:
        put(f"{decision.verdict} ({decision.risk} risk) [{decision.rule}]: {decision.sentence}")
    return {"allow": 0, "ask": 10, "deny": 11}[decision.verdict]


def doctor(options: Options) -> int:
    """`fieldhand doctor [--json]`."""
    from edge.cli.doctor import doctor as examine

    return examine(options)


def tape(options: Options) -> int:
    """`fieldhand tape list|show|resume [NAME]`."""
    from edge.cli import settle
    from edge.cli import tape as tapes

    words = options.words or ("list",)
    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ)
    if not state:
        raise UsageFault("there is no state folder, so there are no tapes", "name one with --state")
    folder = state + "/tapes"
    name = words[1] if len(words) > 1 else "last"
    if words[0] == "list":
        if words[1:] not in ((), ("all",)):
            raise UsageFault(f"tape list takes no {' '.join(words[1:])!r}", "tape list, or tape list all")
        return tapes.list_(folder, OUT, sys.stderr, len(words) > 1)
    if words[0] == "show":
        return tapes.show(folder, name, OUT, sys.stderr, options.json)
    if words[0] == "resume":
        from edge.cli.repl import repl
        from edge.tape.names import find

        return repl(options, find(folder, name))
    raise UsageFault(f"tape knows no {words[0]!r}", "tape list, tape show NAME, tape resume NAME")


def sim(options: Options) -> int:
    """`fieldhand sim show|set NAME VALUE`."""
    from edge.cli import settle
    from edge.cli.sim import main

    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ)
    words = [*options.words, "--json"] if options.json else list(options.words)
    return main(words, state, OUT, sys.stderr)


VERBS: dict[str, Callable[[Any], int]] = {
    "tools": tools,
    "tool": tool,
    "policy": policy,
    "doctor": doctor,
    "tape": tape,
    "sim": sim,
}
