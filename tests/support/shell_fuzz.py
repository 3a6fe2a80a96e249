"""Shell texts that hide "create the file M" behind wrappers and obfuscations. Every text is made from a seed.

Three layers: a payload that makes M; wrappers around it, one in the other; a disguise of its words. Half of the texts
put the result into an everyday command that only reads. Nothing a text does reaches beyond its own folder.

`mutants` go the other way: everyday commands that are allowed, with pieces of payloads put into their words.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "cases" / "make_m.tsv"


def _cells() -> list[list[str]]:
    """The rows of the file, without its comments and its head."""
    lines = CASES.read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")][1:]


def _plain(text: str) -> str:
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\")


_ROWS = [(kind, _plain(text), _plain(after)) for kind, text, after in _cells()]
PAYLOADS = [text for kind, text, _ in _ROWS if kind == "payload"]
WRAPPERS = [(text, after) for kind, text, after in _ROWS if kind == "wrapper"]
CARRIERS = [text for kind, text, _ in _ROWS if kind == "carrier"]
PIECES = [text for kind, text, _ in _ROWS if kind == "piece"]


def texts(seed: int, count: int) -> list[str]:
    """`count` texts from `seed`."""
    chance = random.Random(seed)
    return [_text(chance) for _ in range(count)]


def hidden(text: str, chance: random.Random) -> str:
    """`text`, one line, with disguised words and behind wrappers."""
    if "\n" not in text and chance.random() < 0.6:
        text = _disguised(text, chance)
    for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 3))):
        before, after = chance.choice(WRAPPERS)
        text = before + text + after
    return text


def mutants(seed: int, count: int, commands: list[str]) -> list[str]:
    """`count` texts from `seed`: some of `commands`, with one to three pieces put in."""
    chance = random.Random(seed)
    return [_mutant(chance, commands) for _ in range(count)]


def _mutant(chance: random.Random, commands: list[str]) -> str:
    text = chance.choice(commands)
    if chance.random() < 0.15:
        text += chance.choice((" ; ", " | ", " && ", "\n")) + chance.choice(commands)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        piece = chance.choice(PIECES)
        how = chance.random()
        at = chance.randrange(len(text) + 1)
        words = text.split(" ")
        if how < 0.35:
            words.insert(chance.randrange(len(words) + 1), piece)
            text = " ".join(words)
        elif how < 0.45:
            words[chance.randrange(len(words))] = piece
            text = " ".join(words)
        elif how < 0.75:
            text = text[:at] + piece + text[at:]
        elif how < 0.85:
            text = text[:at] + piece + text[at + chance.randint(1, 6) :]
        else:
            text = f"{text[:at]} {piece} {text[at:]}"
    return text


def _text(chance: random.Random) -> str:
    text = hidden(chance.choice(PAYLOADS), chance)
    if chance.random() < 0.4:
        carrier = chance.choice(CARRIERS)
        start = carrier.index("%s")
        in_words = carrier[:start].rstrip()[-1:] not in (";", "&", "|", "") and not carrier.startswith("%s")
        text = carrier.replace("%%", "%").replace("%s", f"$({text})" if in_words and chance.random() < 0.7 else text, 1)
    return text


def _disguised(text: str, chance: random.Random) -> str:
    """The same command with one of its first words written another way."""
    words = text.split(" ")
    at = 0 if chance.random() < 0.7 else chance.randrange(len(words))
    if words[at] and words[at][0].isalpha() and "'" not in text[: text.find(words[at]) + 1]:
        words[at] = chance.choice(_DISGUISES)(words[at], chance)
    return " ".join(words)


def _cut(word: str, chance: random.Random) -> tuple[str, str]:
    at = chance.randrange(1, len(word)) if len(word) > 1 else len(word)
    return word[:at], word[at:]


def _quoted(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    halves = (f"{head}''{tail}", f'{head}""{tail}', f"'{head}'{tail}", f'"{head}"{tail}', f"{head}\\{tail}")
    return chance.choice((*halves, f"{head}\\\n{tail}", f'""{word}'))


def _expanded(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    whole = (f"${{u:-{word}}}", f"$(echo {word})", f"`printf {word}`", f"${{u-{head}}}{tail}")
    nothing = (f"{head}${{nothing}}{tail}", f"{head}${{z}}{tail}", f"{head}$(){tail}", f"{head}``{tail}")
    return chance.choice((*whole, *nothing))


def _located(word: str, chance: random.Random) -> str:
    globs = (f"/usr/bin/{word[:-1]}?", f"/usr/bin/[{word[0]}]{word[1:]}")
    return chance.choice((f"/usr/bin/{word}", f"/bin/{word}", f"/usr/bin/../bin/{word}", f"/usr//bin/./{word}", *globs))


def _assigned(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    looped = f"for q in {word}; do break; done; $q"
    parts = (f"q={head}; r={tail}; $q$r", f"q={head}; ${{q}}{tail}")
    return chance.choice((*parts, f"q={word}; $q", f'q={word}; "$q"', f"q={word}\n${{q}}", looped))


def _wrapped(word: str, chance: random.Random) -> str:
    plain = ("command", "env", "exec", "nohup", "nice", "timeout 9", "busybox", "env A=1", "stdbuf -oL", "setsid -w")
    return chance.choice((*plain, "nice -n 5", "command --", "A=1 B=2", "\t", "time")) + " " + word


_DISGUISES: tuple[Callable[[str, random.Random], str], ...] = (_quoted, _expanded, _located, _assigned, _wrapped)
