"""What a fault of a line is for a program with gpiozero: an error of gpiozero's own kinds, with our sentence.

Rules this file keeps:
1. A line that somebody holds is GPIOPinInUse, as for two devices of one program. One that the guard holds or that
   stands in the settings as an output says how to switch it instead.
2. All else that a line says is PinError. The fault of the line is its cause.
"""

from __future__ import annotations

import errno

from gpiozero import GPIOPinInUse, PinError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.faults import HardwareFault

OURS = "fieldhand:"  # how the guard's name at its lines begins; what follows is the output or contact
NO_INTERRUPTS = (errno.ENXIO, errno.EOPNOTSUPP, 524)  # 524 is the kernel's own ENOTSUPP


def told(fault: HardwareFault, consumer: str = "") -> Exception:
    """The error to raise, `from fault`. `consumer`: who holds the line, as the kernel shows it."""
    cause = fault.__cause__
    if not isinstance(cause, OSError) or cause.errno != errno.EBUSY:
        kind, sentence = PinError, str(fault)
    elif consumer.startswith(OURS):
        name = consumer[len(OURS) :]
        name = name if name.isprintable() and name else "NAME"  # any program can call itself so
        use = f"{switch(name)} if it is an output, read it with `fieldhand tool gpio_read line={name}`"
        kind, sentence = GPIOPinInUse, f"{fault.sentence}: it belongs to Fieldhand's guard ({use})"
    else:
        kind, sentence = GPIOPinInUse, str(fault)
    error: Exception = kind(sentence)
    return error


def no_edges(error: Exception) -> bool:
    """True when this error of ours says that the line's chip cannot tell of edges."""
    cause = getattr(error.__cause__, "__cause__", None)
    return isinstance(cause, OSError) and cause.errno in NO_INTERRUPTS


def declared(pin: str, output: str) -> Exception:
    """The error for a pin that stands in the settings as an output."""
    error: Exception = GPIOPinInUse(
        f"{pin} is the output {output} of Fieldhand's settings, and the guard's alone ({switch(output)}; or take "
        f"[outputs.{output}] out of the settings)"
    )
    return error


def switch(output: str) -> str:
    """What a person does instead."""
    return f"switch it with `fieldhand tool output_set name={output} state=true`"
