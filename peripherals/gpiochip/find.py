"""Which chip is meant: by its label, never by its number, for the kernel numbers chips as they come.

Rules this file keeps:
1. Chips are told apart by labels. A Raspberry Pi 5 had its header at chip 4, then at 0, and at another number since.
2. Without a label it is the chip of a known header, else the only chip, else somebody has to say. The chips that a
   Raspberry Pi has for itself (supply, Wi-Fi, camera) have no header and are only taken by their label.
3. A chip that is given is open; every other one is closed again.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import HEADERS, Chip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.gpiochip.chip import LineInfo
    from edge.peripherals.gpiochip.seam import Seam

OWN = ("raspberrypi-exp-gpio", "brcmvirt-gpio", "gpio-brcmstb@")  # as in peripherals/boards/reserved.py


def find(seam: Seam, label: str = "") -> Chip:
    """The chip with this label, "" for the header's. HardwareFault when there is none, several, or no telling."""
    chips, faults = every(seam)
    try:
        chosen = _chosen(chips, faults, label)
    except HardwareFault:
        _close(chips)
        raise
    _close([chip for chip in chips if chip is not chosen])
    return chosen


def every(seam: Seam) -> tuple[list[Chip], list[HardwareFault]]:
    """All chips, open (the caller closes them), and why others could not be opened.

    HardwareFault when the nodes cannot even be listed.
    """
    chips, faults = [], []
    try:
        paths = seam.chips()
    except OSError as error:
        raise HardwareFault(
            f"the GPIO chips cannot be listed: {error.strerror}", "see that /dev can be read"
        ) from error
    for path in paths:
        try:
            chips.append(Chip(seam, path))
        except HardwareFault as fault:
            faults.append(fault)
    return chips, faults


def holder(info: LineInfo) -> str:
    """Who holds a line, to stand after "it is": `held by "w1"`, `held by somebody without a name`, `free`.

    Any program chooses its name, and this stands in sentences: what could end the quotes or move a terminal is a `?`.
    """
    if not info.used:
        return "free"
    named = "".join([letter if letter.isprintable() and letter != '"' else "?" for letter in info.consumer.strip()])
    return f'held by "{named}"' if named not in ("", "?") else "held by somebody without a name"


def _chosen(chips: list[Chip], faults: list[HardwareFault], label: str) -> Chip:
    # One that could not be opened may be the one that is meant, so "the only one" is only said when all were seen.
    fitting = [chip for chip in chips if chip.label == label] if label else _headers(chips, alone=not faults)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        paths = " and ".join([chip.path for chip in fitting])
        raise HardwareFault(
            f"{len(fitting)} GPIO chips have the label {fitting[0].label}: {paths}",
            "they cannot be told apart: give one of them another label in the device tree",
        )
    if faults:
        raise faults[0]
    if not chips:
        raise HardwareFault(
            "this board has no GPIO chip: there is no /dev/gpiochip node",
            "see that the kernel has CONFIG_GPIO_CDEV and the driver of the chip, and that /dev is mounted",
        )
    labels = ", ".join([f"{chip.label or '(none)'} ({chip.lines} lines)" for chip in chips])
    if label:
        number = "; chips are named by label, for their numbers change" if label.startswith(("gpiochip", "/")) else ""
        raise HardwareFault(f"no GPIO chip has the label {label[:40]}{number}", f"the labels here: {labels}")
    if all(chip.label.startswith(OWN) for chip in chips):
        raise HardwareFault(
            f"the GPIO chip with the header is not here, only {labels}", "see that its driver is loaded"
        )
    fix = 'say it by its label: chip = "..." in the table of the output or input, in [gpio] for the tools'
    raise HardwareFault(f"which GPIO chip is meant is not clear: {labels}", fix)


def _headers(chips: list[Chip], alone: bool) -> list[Chip]:
    """The chips of the first known header that is here, else the only chip."""
    for label in HEADERS:
        fitting = [chip for chip in chips if chip.label == label]
        if fitting:
            return fitting
    others = [chip for chip in chips if not chip.label.startswith(OWN)]
    return others if alone and len(others) == 1 else []


def _close(chips: list[Chip]) -> None:
    for chip in chips:
        chip.close()
