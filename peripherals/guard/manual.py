"""Outputs that a person holds by hand: by a contact, or by a word from outside.

Rules this file keeps:
1. A contact holds its output safe while it is active (not 0). One that cannot be read, or whose reading is not fresh,
   counts as active: nobody knows that the person has let go.
2. A word is `safe`, `on` or `off`, "" lifts it. The contact goes before the word.
3. A word away from safe is obeyed once: when anything ended it (max_on, an interlock, a stop) it is `spent` and the
   output stays safe until the word is lifted and given anew.
4. Nothing is driven here: `verdict` says what the person wants.
"""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Output
    from edge.peripherals.guard.interlock import Look

RULE = "guard.override"
WORDS = ("safe", "on", "off", "")


class Manual:
    """The overrides of one guard. `said`: name -> what holds an output now, for the rows of states."""

    __slots__ = ("_told", "said", "spent", "words")

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.said: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self.spent: set[str] = set()

    def word(self, name: str, word: str) -> bool:
        """Take a word for an output; True when it is news. UsageFault: there is no such word."""
        if word not in WORDS:
            raise UsageFault(f"{word[:40]!r} is no override", "an override is safe, on or off")
        if word == self.words.get(name, ""):
            return False
        self.spent.discard(name)
        if word:
            self.words[name] = word
        else:
            del self.words[name]
        return True

    def concerns(self, output: Output) -> bool:
        """True when an output has a contact or a word."""
        return bool(output.override) or output.name in self.words

    def news(self, name: str, said: str) -> bool:
        """Note what holds an output now ("" nothing); True when that has changed."""
        if said:
            self.said[name] = said
        else:
            self.said.pop(name, None)
        kind = said.partition(":")[0]  # how old a reading is, is no news
        changed = kind != self._told.get(name, "")
        self._told[name] = kind
        return changed

    def verdict(self, output: Output, look: Look) -> tuple[str, float | None]:
        """Why an output is held by hand and at which level: ("", None) when it is not."""
        safe = 1.0 if output.safe else 0.0
        if output.override:
            found = look.value(output.override, output.max_age)
            if isinstance(found, str):
                return f"held safe: {found}", safe
            if found:
                return f"held safe by {output.override}", safe
        word = self.words.get(output.name, "")
        if not word:
            return "", None
        level = safe if word == "safe" else float(word == "on")
        return f"held {word} by hand", level
