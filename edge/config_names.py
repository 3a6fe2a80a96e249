"""Names that one table of a board gives and another one uses: each stands for one thing, and for one of the right kind.

The guard judges contacts alone: an interlock, a feedback or an override over a sensor is refused, for a guard that
waited for a bus would be late for its deadlines. Faults are without a place; their key says which it is.
"""

from __future__ import annotations

from edge.faults import ConfigFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from edge.call import Output, Sensor

_NO_CONTACT = (
    "is a sensor of [sensors], and the guard judges contacts only",
    "an [inputs.NAME] of a thermostat or float can stand here",
)


def check(outputs: Sequence[Output], contacts: Sequence[Sensor], sensors: Collection[str]) -> None:
    """ConfigFault for the first name that is wrong. `contacts`: what the guard reads; `sensors`: what it does not."""
    words: dict[str, tuple[str, ...]] = {output.name: ("off", "on") for output in outputs}
    for contact in contacts:
        _once("inputs", contact.name, words)
        words[contact.name] = contact.states
    for name in sensors:
        _once("sensors", name, words)
    for output in outputs:
        _used(output, [contact.name for contact in contacts], sensors)
        _conditions(output, words, sensors)


def _once(group: str, name: str, known: Collection[str]) -> None:
    if name in known:
        raise ConfigFault(f"{name} is the name of two things", "rename one of them", key=f"{group}.{name}")


def _used(output: Output, contacts: Collection[str], sensors: Collection[str]) -> None:
    """What its feedback and override name."""
    for field, meant in (("feedback", output.feedback), ("override", output.override)):
        key = f"outputs.{output.name}.{field}"
        if meant in sensors:
            raise ConfigFault(f"{key}: {meant} {_NO_CONTACT[0]}", _NO_CONTACT[1], key=key)
        if meant and meant not in contacts:
            known = ", ".join(sorted(contacts))
            fix = f"the inputs are: {known}" if known else "declare it with [inputs.NAME]"
            raise ConfigFault(f"{key} names no input: {meant!r}", fix, key=key)


def _conditions(output: Output, words: Mapping[str, tuple[str, ...]], sensors: Collection[str]) -> None:
    """What its interlock names."""
    from edge.peripherals.guard.interlock import check as wrong_in

    key = f"outputs.{output.name}.interlock"
    for condition in output.interlock:
        named = "".join([one if one.isalnum() or one == "_" else " " for one in condition]).split()
        for meant in [name for name in sensors if name in named]:
            raise ConfigFault(f"{key}: {meant} {_NO_CONTACT[0]}", _NO_CONTACT[1], key=key)
        wrong = wrong_in(condition, words)
        if wrong:
            raise ConfigFault(f"{key}: {wrong}", key=key)
