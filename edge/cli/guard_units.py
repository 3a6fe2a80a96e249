"""What a supervisor has to be told to keep a guard running: a systemd unit, lines of a busybox inittab. Text only."""

from __future__ import annotations

import os
import sys

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options

# Facts of the directives: systemd.service(5), systemd.exec(5), systemd.resource-control(5), sd_notify(3).
SYSTEMD = """\
# /etc/systemd/system/fieldhand-guard.service
[Unit]
Description=Fieldhand guard: keeps the outputs of this board safe
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart={program} guard run{options}
# After every end, also a kill: what is left on is made safe. A clean end that should hold an output holds it.
ExecStopPost=-{program} safe-all{others}
Restart=always
RestartSec=200ms
WatchdogSec=3
TimeoutStopSec=5
RuntimeDirectory=fieldhand
RuntimeDirectoryMode=0755
StateDirectory=fieldhand
StateDirectoryMode=0700
{writable}OOMScoreAdjust=-900
# Before all that only compute (sched(7)); it sleeps until something is due.
CPUSchedulingPolicy=rr
CPUSchedulingPriority=1
CPUSchedulingResetOnFork=yes
MemoryMax=48M
TasksMax=8
UMask=0077
# Lines are /dev/gpiochip*; PWM channels are files below /sys/class/pwm, so the kernel's tunables stay writable.
DevicePolicy=closed
DeviceAllow=char-gpiochip rw
CapabilityBoundingSet=CAP_DAC_READ_SEARCH CAP_SYS_RESOURCE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateNetwork=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
"""
BUSYBOX = """\
# /etc/inittab: init starts the guard again whenever it ends; at a shutdown everything is made safe
::respawn:{program} guard run{options}
::shutdown:{program} safe-all{others}
"""
KINDS = {"systemd": SYSTEMD, "busybox": BUSYBOX}
DEFAULT_STATE = "/var/lib/fieldhand"


def unit(kind: str, options: Options) -> str:
    """The text for one supervisor; with the options of this command in it. UsageFault: there is none of that kind."""
    if kind not in KINDS:
        named = f"knows no {kind[:40]!r}" if kind else "needs the supervisor's name"
        raise UsageFault(f"guard unit {named}", "guard unit systemd, guard unit busybox")
    board = options.board
    common = {
        "config": _path(options.config),
        "state": _path(options.state),
        "board": _path(board) if "/" in board or board.endswith(".toml") else board,  # as edge/cli/board.py tells them
        "profile": options.profile,
    }
    if kind == "busybox" and not options.state:
        common["state"] = DEFAULT_STATE  # its init hands on no environment that would name one
    shared = "".join(f" --{name} {_word(value)}" for name, value in common.items() if value)
    socket = f" --socket {_word(_path(options.socket))}" if options.socket else ""
    users = f" --users {_word(options.users)}" if options.users else ""
    fields = {"options": shared + socket + users, "others": shared + socket, "writable": _writable(options)}
    return KINDS[kind].format(program=program(), **fields).rstrip("\n")


def _writable(options: Options) -> str:
    """What has to stay writable beside the folders that the unit has made: the folders that options name, if they do.

    They have to exist when the service starts (systemd.exec(5), ReadWritePaths=).
    """
    folders = [_path(options.state)] if options.state else []
    folders += [os.path.dirname(_path(options.socket))] if options.socket else []
    paths = " ".join(dict.fromkeys(_word(folder) for folder in folders))
    return f"ReadWritePaths={paths}\n" if paths else ""


def program() -> str:
    """The command that starts Fieldhand here, absolute: a supervisor has no PATH of a person's."""
    from shutil import which

    import edge

    beside = os.path.join(os.path.dirname(sys.executable), "fieldhand")
    checkout = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(edge.__file__))), "bin", "fieldhand")
    for path in (checkout, beside):
        if os.access(path, os.X_OK):
            return path
    return which("fieldhand") or "/usr/bin/fieldhand"


def _word(value: str) -> str:
    """A word as systemd and init take it. UsageFault: it holds what would be read otherwise there."""
    if not value.isprintable() or set(value) & set(" \"'\\$%;#"):
        raise UsageFault(f"{value[:60]!r} cannot stand in a unit", "use a path without blanks and quotes")
    return value


def _path(value: str) -> str:
    """A path as it is meant where the unit is printed: a supervisor starts in another folder. "" stays."""
    return os.path.abspath(value) if value else ""
