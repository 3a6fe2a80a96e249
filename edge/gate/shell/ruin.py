"""Commands that are known to destroy: power, kernel, disks, the network under the operator, the clock. Pure.

Rules:
1. A row says when a program destroys: always, or by a look at its words. What it does not say is left to others.
2. Disks, flash and partition tables are `disk`, everything else is `ruin`.
3. A form that only asks (`fdisk -l`, `modprobe -n`) is no destruction.
"""

from __future__ import annotations

from edge.gate.shell.marks import known, names, shown
from edge.gate.shell.options import has, options
from edge.gate.shell.ruin_board import BOARD, DISKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.walk import Walk

    Look = Callable[[tuple[str, ...]], str]

_POWER = "reboot poweroff halt kexec emergency rescue isolate suspend hibernate hybrid-sleep suspend-then-hibernate"
_POWER_VERBS = frozenset((_POWER + " default exit soft-reboot switch-root set-default sleep").split())
_TARGETS = frozenset(
    f"{name}.target"
    for name in names("reboot poweroff halt shutdown emergency rescue suspend hibernate kexec final umount exit")
)
_ESSENTIAL = names(
    "libc6 libc-bin systemd systemd-sysv init bash dash coreutils apt dpkg util-linux base-files base-passwd "
    "login passwd mount udev linux-image raspberrypi-kernel raspberrypi-bootloader raspi-firmware "
    "firmware-brcm80211 python3 python3-minimal sudo openssh-server ssh network-manager dhcpcd dhcpcd5 ifupdown "
    "netplan.io wpasupplicant busybox initramfs-tools kmod e2fsprogs libsystemd0 raspberrypi-sys-mods "
    "raspi-config grep sed tar gzip findutils debianutils perl-base hostname ncurses-base sysvinit-utils "
    "diffutils bsdutils"
)
_SETS_CLOCK = "sets the clock"


def _verbs(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if word[:1] != "-"]


def _systemctl(words: tuple[str, ...]) -> str:
    verbs = _verbs(words)
    if any(word in _POWER_VERBS for word in verbs[:1]) or any(word in _TARGETS for word in verbs[1:] if _acts(verbs)):
        return "changes the power state of the board"
    if any(word in _POWER_VERBS for word in verbs[1:2]) and words[:1] in (("-H",), ("-M",), ("-p",), ("-t",)):
        return "changes the power state of the board"
    return ""


def _acts(verbs: list[str]) -> bool:
    return verbs[:1] in (["start"], ["isolate"], ["restart"], ["enable"], ["set-default"])


def _init(words: tuple[str, ...]) -> str:
    return "changes the run level" if any(word[:1] in "0123456sSqQuU" for word in words if word) else ""


def _kill(words: tuple[str, ...]) -> str:
    if "-l" in words or "-L" in words or words[:1] == ("-0",) or words[:2] == ("-s", "0"):
        return ""
    _, operands = options(tuple(word for word in words if not (word[:1] == "-" and word[1:].isdigit())), "sn")
    numbers = [word for word in words if word[:1] == "-" and word[1:].isdigit()]
    after = list(words[words.index("--") + 1 :]) if "--" in words else []
    signal = bool(words) and words[0] in numbers
    targets = [*(numbers[1:] if signal else numbers), *operands, *after]
    if words == ("-1",):
        targets.append("-1")
    if "-1" in targets:
        return "ends every process"
    return "ends the first process" if "1" in targets else ""


def _kills(words: tuple[str, ...]) -> str:
    """pkill, killall."""
    found, operands = options(words, "usgGPtUFo")
    broad = any(word in ("", ".", ".*", "^", "*", "init", "systemd", "root") for word in operands)
    users = [text for name, text in found if name in ("-u", "-U", "--user", "--euid")]
    return "ends every process" if broad or "root" in users or "0" in users else ""


def _date(words: tuple[str, ...]) -> str:
    plain = tuple(word for word in words if word[:2] != "-I")  # its value is part of the word
    found, operands = options(plain, "drsf", ("date", "reference", "set", "file"))
    if has(found, "-s", "--set") or any(known(word) and word.rstrip("0123456789.") == "" and word for word in operands):
        return _SETS_CLOCK
    return ""


def _sysctl(words: tuple[str, ...]) -> str:
    found, operands = options(words)
    if has(found, "-w", "-p", "--write", "--load", "--system", "-f") or any("=" in word for word in operands):
        return "changes settings of the kernel"
    return ""


def _firewall(words: tuple[str, ...]) -> str:
    if any(word in ("-F", "-X", "-Z", "--flush", "--delete-chain") for word in words) or "DROP" in words[1:3]:
        return "throws away the rules of the firewall" if "DROP" not in words else "closes the network"
    return ""


def _nft(words: tuple[str, ...]) -> str:
    return (
        "throws away the rules of the firewall"
        if {"flush", "destroy"} & set(words) or words[:2] == ("delete", "table")
        else ""
    )


def _ip(words: tuple[str, ...]) -> str:
    verbs = _verbs(words)
    for at, word in enumerate(verbs):
        if word == "down" and at and any(verb in ("set", "s", "se") for verb in verbs[:at]):
            return "takes a network link down"
        if word in ("flush", "f", "fl", "flu") and verbs[0][:1] in ("a", "r") and "cache" not in verbs:
            return "throws away addresses or routes"
        if word in ("del", "delete", "d", "de") and ({"default", "link", "l", "li", "lin"} & set(verbs)):
            return "removes a link or the way out"
    return ""


def _last(*names: str) -> Look:
    """The program does it when one of `names` is among its words."""
    return lambda words: "cuts the board off" if set(names) & set(words) else ""


def _nmcli(words: tuple[str, ...]) -> str:
    verbs = _verbs(words)
    if verbs[:1] in (["networking"], ["radio"], ["n"], ["r"], ["net"], ["ra"]) and "off" in verbs:
        return "switches the network off"
    return ""


def _packages(words: tuple[str, ...]) -> str:
    verbs = _verbs(words)
    dpkg = any(word in ("-r", "-P", "--remove", "--purge") for word in words)
    if verbs[:1] and (verbs[0] in ("remove", "purge", "autoremove", "autopurge") or dpkg):
        names = [word.partition(":")[0].rstrip("-") for word in verbs[0 if dpkg else 1 :]]
        for name in names:
            if name in _ESSENTIAL or name.startswith(("linux-image", "libc6")):
                return f"removes {name}, without which the board does not work"
    return ""


def _account(words: tuple[str, ...]) -> str:
    return "removes an account" if _verbs(words) else ""


def _users(words: tuple[str, ...]) -> str:
    return "changes the account root" if "root" in words else ""


def _crontab(words: tuple[str, ...]) -> str:
    found, operands = options(words, "u")
    if has(found, "-r", "-i"):
        return "removes the table of scheduled commands"
    if has(found, "-e") or operands:
        return "replaces the table of scheduled commands" if not has(found, "-l") else ""
    return ""


def _clock(words: tuple[str, ...]) -> str:
    quiet = ("-r", "--show", "-l", "--utc", "-u", "--get", "--verbose", "-v", "--localtime", "-V", "--version")
    return _SETS_CLOCK if any(word[:1] == "-" and word.split("=")[0] not in quiet for word in words) else ""


def _timedatectl(words: tuple[str, ...]) -> str:
    return _SETS_CLOCK if _verbs(words)[:1] in (["set-time"], ["set-local-rtc"]) else ""


def _modprobe(words: tuple[str, ...]) -> str:
    quiet = ("-n", "--dry-run", "--show-depends", "-D", "-c", "--showconfig", "--show-config", "-V", "--version")
    if any(word in quiet for word in words) and not any(word in ("-r", "--remove") for word in words):
        return ""
    return "loads or removes a kernel module"


def _bus_call(words: tuple[str, ...]) -> str:
    whole = " ".join(words)
    named = ("Reboot", "PowerOff", "Halt", "KExec", "Suspend", "Hibernate")
    return "changes the power state of the board" if any(name in whole for name in named) else ""


def _mount(words: tuple[str, ...]) -> str:
    if any("remount" in word for word in words):
        return "changes how file systems are mounted"
    return ""


def _umount(words: tuple[str, ...]) -> str:
    wide = [word for word in words if word.rstrip("/") in ("", "/usr", "/var")]
    if any(word in ("-a", "--all") or (word[:1] == "-" and word[1:2] != "-" and "a" in word) for word in words) or wide:
        return "takes away file systems that the board works on"
    return ""


def _always(what: str) -> Look:
    return lambda _words: what


_PLAIN = {
    "changes the power state of the board": "reboot poweroff halt shutdown kexec pm-suspend pm-hibernate rtcwake",
    "loads or removes a kernel module": "insmod rmmod kmod-load depmod",
    "takes memory away from the system": "swapoff",
    "ends every process": "killall5",
    "wipes data": "shred wipe srm scrub",
    "changes how the board starts": "update-initramfs grub-install update-grub efibootmgr flash-kernel rpi-sb",
    "takes a network link down": "ifdown",
}
RUINS: dict[str, Look] = {
    **{name: _always(what) for what, names in _PLAIN.items() for name in names.split()},
    **BOARD,
    "init": _init,
    "telinit": _init,
    "systemctl": _systemctl,
    "loginctl": _systemctl,
    "modprobe": _modprobe,
    "kill": _kill,
    "pkill": _kills,
    "killall": _kills,
    "date": _date,
    "hwclock": _clock,
    "timedatectl": _timedatectl,
    "sysctl": _sysctl,
    "iptables": _firewall,
    "ip6tables": _firewall,
    "iptables-legacy": _firewall,
    "ebtables": _firewall,
    "arptables": _firewall,
    "nft": _nft,
    "ufw": _last("disable", "reset"),
    "ip": _ip,
    "ifconfig": _last("down"),
    "rfkill": _last("block"),
    "nmcli": _nmcli,
    "apt": _packages,
    "apt-get": _packages,
    "aptitude": _packages,
    "dpkg": _packages,
    "userdel": _account,
    "deluser": _account,
    "passwd": _users,
    "usermod": _users,
    "crontab": _crontab,
    "busctl": _bus_call,
    "dbus-send": _bus_call,
    "gdbus": _bus_call,
    "mount": _mount,
    "umount": _umount,
}


def judge(walk: Walk, name: str, words: tuple[str, ...]) -> bool:
    """True when the command was found destructive, and is said to be."""
    if words in (("--help",), ("--version",)):
        return False
    look = RUINS.get(name)
    if look is not None:
        what = look(words)
        if what:
            walk.sink.ruin(name, f"{name} {what}")
            return True
    disk = DISKS.get(name) or (DISKS["mkfs"] if name.startswith("mkfs.") else None)
    if disk is not None:
        what = disk(words)
        if what:
            walk.sink.disk(name, f"{name} {what}: {shown(' '.join(words))[:120]}")
            return True
    return False
