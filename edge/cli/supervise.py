"""`fieldhand supervise [NAME=VALUE ...]`: the supervisor of a board as a service; init starts it again when it ends.

Rules:
1. It looks up what the small process needs to know (is there a watchdog, is this boot confirmed) and becomes that
   process (exec): no reader of settings or cards is in what feeds the watchdog.
2. What cannot be found out is said and taken as the quiet answer: no watchdog, nothing to confirm. A board whose
   supervisor would not start for it would be reset for ever.
3. On a system that was started from no card it does not run by its usual paths: it would take that machine's watchdog.
   Who names NEEDED has them meant (a bench).
4. `fieldhand.nowdt` on the kernel's command line: the watchdog is never opened.
"""

from __future__ import annotations

import os
import sys

from edge.card.places import GUARD, NOTIFY, RELEASE, SUPERVISOR
from edge.faults import CardFault, HardwareFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options

DEVICE = "/dev/watchdog"
USUAL = {
    "notify": NOTIFY,
    "guard": GUARD,
    "device": DEVICE,
    "feeder": "/run/boot-feeder.pid",
    "log": "/dev/log",
    "status": SUPERVISOR,
    "hang": "30",
    "tick": "1",
    "health": "",
    "reboot": "/sbin/reboot",
}
NEEDED = ("notify", "device")
NOWDT = "fieldhand.nowdt"
CODE = "import sys; sys.path.insert(0, sys.argv[1]); from edge.supervise.process import main; raise SystemExit(main())"
HANDED_ON = ("PATH", "LD_LIBRARY_PATH")


def supervise(options: Options) -> int:
    """Become the supervisor. Returns only by a Fault."""
    from edge.cli.doctor_nodes import Place

    told = asked(options.words)
    _on_card(given(options.words))
    if "health" not in given(options.words):
        told["health"] = _confirming()
    told.update(_watchdog(told["device"], Place().text("/proc/cmdline").split()))
    _folder(os.path.dirname(told["notify"]))
    words = command(told)
    environ = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    try:
        os.execve(words[0], words, environ)
    except OSError as error:
        raise HardwareFault(f"the supervisor cannot be started with {words[0]}: {error.strerror}") from error


def _on_card(said: dict[str, str]) -> None:
    """CardFault where there is nothing to supervise (rule 3)."""
    if all(name in said for name in NEEDED) or os.path.exists(RELEASE):
        return
    raise CardFault(
        "supervise is the service that feeds the watchdog of a card's board, and this system was started from no card",
        "elsewhere systemd feeds it: RuntimeWatchdogSec, docs/guard.md",
    )


def given(words: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE words; UsageFault for what is none, or an unknown name."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in USUAL:
            fix = f"fieldhand supervise [NAME=VALUE ...] with {', '.join(USUAL)}"
            raise UsageFault(f"supervise takes no {word[:40]!r}", fix)
        found[name] = value
    return found


def asked(words: tuple[str, ...]) -> dict[str, str]:
    """All arguments, the usual ones where nothing was said; UsageFault."""
    told = {**USUAL, **given(words)}
    for name, least, most in (("hang", 1.0, 3600.0), ("tick", 0.05, 5.0)):
        try:
            good = least <= float(told[name]) <= most
        except ValueError:
            good = False
        if not good:
            fix = f"fieldhand supervise {name}={USUAL[name]}"
            raise UsageFault(f"{name} is {least:g} to {most:g} seconds, not {told[name][:40]!r}", fix)
    return told


def command(told: dict[str, str]) -> list[str]:
    """The argument list of the process; HardwareFault when this Python does not know its own path."""
    from edge.peripherals.guard.spawn import library

    if not sys.executable:
        raise HardwareFault(
            "the supervisor cannot be started: sys.executable is empty", "start Python by its full path"
        )
    named = [f"{name}={value}" for name, value in told.items()]
    return [sys.executable, "-I", "-S", "-c", CODE, library(), *named]


def _watchdog(device: str, kernel: list[str]) -> dict[str, str]:
    """Which device to open, and why none."""
    if NOWDT in kernel:
        return {"device": "", "why": f"{NOWDT} stands on the kernel's command line"}
    if device and not os.path.exists(device):
        return {"device": "", "why": f"there is no {device}"}
    return {"device": device, "why": "" if device else "it was told to use none"}


def _confirming() -> str:
    """The program that confirms this start; "" when it is confirmed or there is nothing to confirm."""
    from edge.cli.card_health import asked_quietly
    from edge.cli.guard_units import program

    return program() if asked_quietly() else ""


def _folder(where: str) -> None:
    """The folder of the sockets; made when only it is missing."""
    if not os.path.isdir(where):
        try:
            os.mkdir(where, 0o755)
        except OSError as error:
            raise HardwareFault(f"{where} cannot be made: {(error.strerror or 'unknown').lower()}") from error
