"""The operator's commands: tools, tool, policy, doctor, tape, sim, config, wire."""

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
    from edge.tool import Schema


def tools(options: Options) -> int:
    """`fieldhand tools [--json]`."""
    from edge.cli import listing

    if options.words:
        raise UsageFault(f"tools takes no {options.words[0]!r}", "fieldhand tools, or fieldhand tools --json")
    catalogue = listing.here(options)
    if options.json:
        import json

        put(json.dumps(listing.rows(catalogue), ensure_ascii=False, indent=1))
    else:
        put(listing.text(catalogue))
    return 0


def tool(options: Options) -> int:
    """`fieldhand tool NAME key=value ...`: one gated call; the observation on stdout."""
    from edge.cli.command import one_call
    from edge.cli.oneshot import carry

    if not options.words:
        raise UsageFault("tool needs the name of a tool", "fieldhand tools lists them")
    model = one_call(list(options.words), _plugged(options))
    code = carry(options, "tool " + " ".join(options.words), model)
    return 1 if code == 0 and model.failed else code


def _plugged(options: Options) -> dict[str, Schema]:
    """The schemas of the tools that plug-ins of the settings bring."""
    from edge.cli import settle

    names = settle.settings(options, os.environ).tools.plugins
    if not names:
        return {}
    from edge.cli.plugins import extended

    return {tool.name: tool.schema for tool in extended([], names)[0]}


def policy(options: Options) -> int:
    """`fieldhand policy check NAME JSON | explain [NAME JSON]`."""
    from edge.cli.policy import main

    return main(options)


def doctor(options: Options) -> int:
    """`fieldhand doctor [--json]`."""
    from edge.cli.doctor import doctor as examine

    return examine(options)


def tape(options: Options) -> int:
    """`fieldhand tape list|show|resume [NAME]`."""
    from edge.cli import settle
    from edge.cli import tape as tapes

    words = options.words or ("list",)
    state = settle.state_folder(settle.told(options, os.environ), os.environ, words[0] in ("list", "show"))
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
    """`fieldhand sim show|set NAME VALUE|reset|watch`."""
    from edge.cli import settle
    from edge.cli.board import choose
    from edge.cli.sim import main

    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ)
    words = [*options.words, *["--json"] * options.json, *["--once"] * options.once]
    chosen = choose(settings)
    if words[:1] == ["watch"]:
        from edge.cli.sim_watch import look_for, watch

        return watch(words[1:], look_for(state, chosen.socket if chosen.real else ""), OUT)
    if chosen.real:
        raise UsageFault(
            f"sim {' '.join(words[:1])} is about a simulated board, and --board {settings.board} is a real one",
            "fieldhand sim watch looks at its guard; --board sim is the simulated one",
        )
    world = chosen.owned.world if chosen.owned is not None and not chosen.real else None
    world = "" if options.board == "sim" else world
    return main(words, state, OUT, sys.stderr, world)


def stop(options: Options) -> int:
    """`fieldhand stop [--all|--network|--tool NAME] [--why TEXT]`."""
    from edge.cli.stop import stop as halt

    return halt(options)


def resume(options: Options) -> int:
    """`fieldhand resume [--network|--tool NAME]`."""
    from edge.cli.stop import resume as lift

    return lift(options)


def safe_all(options: Options) -> int:
    """`fieldhand safe-all [--socket PATH]`."""
    from edge.cli.safe_all import main

    return main(options)


def guard(options: Options) -> int:
    """`fieldhand guard run|unit KIND`."""
    from edge.cli.guard import main

    return main(options)


def approvals(options: Options) -> int:
    """`fieldhand approvals list|approve ID|deny ID [TEXT]`."""
    from edge.cli.approvals import main

    return main(options)


def audit(options: Options) -> int:
    """`fieldhand audit verify|show|export|key`."""
    from edge.cli import settle
    from edge.cli.audit import main

    state = settle.state_folder(settle.told(options, os.environ), os.environ, options.words[:1] != ("key",))
    if not state:
        raise UsageFault("there is no state folder, so there is no audit log", "name one with --state")
    return main(options, state, OUT, sys.stderr)


def config(options: Options) -> int:
    """`fieldhand config show|init [FILE]`."""
    from edge.cli.config import main

    return main(options)


def wire(options: Options) -> int:
    """`fieldhand wire [--json]`."""
    from edge.cli.wire import wire as check

    return check(options)


def image(options: Options) -> int:
    """`fieldhand image build|verify|flash|lock|key ...`."""
    from edge.cli.image import image as handed_on

    return handed_on(options)


def provision(options: Options) -> int:
    """`fieldhand provision check FILE|apply|status`."""
    from edge.cli.provision import provision as asked

    return asked(options)


def update(options: Options) -> int:
    """`fieldhand update FILE|URL|status|confirm|back`."""
    from edge.cli.update import update as renew

    return renew(options)


def data(options: Options) -> int:
    """`fieldhand data backup FILE|restore FILE|reset`."""
    from edge.cli.data import data as kept

    return kept(options)


def card(options: Options) -> int:
    """`fieldhand card prepare|health`: steps of the boot."""
    from edge.cli.card import card as step

    return step(options)


def supervise(options: Options) -> int:
    """`fieldhand supervise [NAME=VALUE ...]`."""
    from edge.cli.supervise import supervise as become

    return become(options)


VERBS: dict[str, Callable[[Any], int]] = {
    "tools": tools,
    "tool": tool,
    "policy": policy,
    "doctor": doctor,
    "tape": tape,
    "sim": sim,
    "stop": stop,
    "resume": resume,
    "safe-all": safe_all,
    "guard": guard,
    "approvals": approvals,
    "audit": audit,
    "config": config,
    "wire": wire,
    "image": image,
    "provision": provision,
    "update": update,
    "card": card,
    "data": data,
    "supervise": supervise,
}
