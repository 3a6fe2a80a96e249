"""Every error Fieldhand can raise, in one family.

    Fault                    a sentence, what to do about it, an exit code
    ├── UsageFault      2    the command line or a tool's arguments are wrong
    ├── ConfigFault     3    a settings file is wrong: file, line, key
    ├── ModelFault      4    the model or its server did not do its part
    │   └── StepFault   4    a reply that is no step (returned by edge.step.read, not raised)
    ├── BudgetFault     5    steps, time or calls are used up; a deadline passed
    ├── Refused         6    the gate, a hand or a person said no: rule
    ├── CardFault       1    an image, a card, an update or its signature is not what it should be
    ├── HardwareFault   7    the board, a sensor or an output failed
    ├── TapeFault       9    the record of what happened cannot be kept
    ├── OutputFault     9    the answer could not be written
    ├── ToolFault       0    a tool could not do it; the model is told and goes on
    └── Interrupted   130    the operator pressed Ctrl-C

Rules:
1. `str(fault)` is a sentence for a person: what happened, to which thing. `fix` says what to do.
2. Exceptions of other libraries are translated at one edge, with `from`.
3. `kind` is one word from a closed set, and goes unchanged onto the tape.
4. This module imports nothing.
"""

from __future__ import annotations

STEP_KINDS = frozenset(
    (
        "empty",
        "no_object",
        "two_objects",
        "truncated",
        "bad_json",
        "bad_escape",
        "not_finite",
        "duplicate_key",
        "too_deep",
        "too_long",
        "not_a_step",
        "no_action",
        "bad_action",
        "unknown_tool",
        "bad_args",
        "unclosed_think",
        "example_in_prose",
        "not_text",
    )
)


class Fault(Exception):
    """Base of the family. `sentence` ends without a full stop; `fix` may be empty."""

    kind = "fault"
    code = 1

    def __init__(self, sentence: str, fix: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.sentence} ({self.fix})" if self.fix else self.sentence


class UsageFault(Fault, ValueError):
    """The command line or a tool's arguments are wrong."""

    kind = "usage"
    code = 2


class ConfigFault(Fault, ValueError):
    """A settings file is wrong. `where` is `file:line` and `key` the dotted name, as far as known."""

    kind = "config"
    code = 3

    def __init__(self, sentence: str, fix: str = "", where: str = "", key: str = "") -> None:
        super().__init__(f"{where}: {sentence}" if where else sentence, fix)
        self.where = where
        self.key = key


class ModelFault(Fault):
    """The model or its server did not do its part; `endpoint` names it."""

    kind = "model"
    code = 4

    def __init__(self, sentence: str, fix: str = "", endpoint: str = "") -> None:
        super().__init__(sentence, fix)
        self.endpoint = endpoint


class StepFault(ModelFault):
    """A reply that is no step. `why` is one of STEP_KINDS."""

    kind = "step"

    def __init__(self, why: str, sentence: str) -> None:
        if why not in STEP_KINDS:
            raise ValueError(f"{why!r} is not one of STEP_KINDS")
        super().__init__(sentence)
        self.why = why


class BudgetFault(Fault):
    """Steps, time or calls are used up, or a deadline passed."""

    kind = "budget"
    code = 5


class Refused(Fault, PermissionError):
    """The gate, a hand or a person said no. `rule` is the id of the rule that did."""

    kind = "refused"
    code = 6

    def __init__(self, sentence: str, rule: str, fix: str = "") -> None:
        super().__init__(sentence, fix)
        self.rule = rule


class CardFault(Fault, ValueError):
    """An image, a card, an update or its signature is not what it should be."""

    kind = "card"
    code = 1


class HardwareFault(Fault, OSError):
    """The board, a sensor or an output failed."""

    kind = "hardware"
    code = 7


class TapeFault(Fault, OSError):
    """The record of what happened cannot be read or kept."""

    kind = "tape"
    code = 9


class OutputFault(Fault, OSError):
    """The answer could not be written to stdout."""

    kind = "output"
    code = 9


class ToolFault(Fault):
    """A tool could not do it. The model reads the sentence and may try another way."""

    kind = "tool"
    code = 0


class Interrupted(Fault):
    """The operator pressed Ctrl-C."""

    kind = "interrupted"
    code = 130
