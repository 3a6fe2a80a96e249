"""The command line -> Options. On the path to the prompt: import nothing more here.

Options may stand before or after the verb; `--` ends them. Values come as `--name value` or `--name=value`.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.faults import UsageFault

VALUED = ("board", "model", "base-url", "mode", "config", "state", "trace")
FLAGS = ("yes", "json", "debug", "version", "help")
VERBS = ("tools", "tool", "policy", "doctor", "tape", "sim")


class Options(Record):
    """What was asked. Empty text = not given. `goal` is None outside `-e`."""

    verb: str = ""
    words: tuple[str, ...] = ()
    goal: str | None = None
    board: str = ""
    model: str = ""
    base_url: str = ""
    mode: str = ""
    config: str = ""
    state: str = ""
    trace: str = ""
    yes: bool = False
    json: bool = False
    debug: bool = False
    version: bool = False
    help: bool = False


def parse(argv: list[str]) -> Options:
    """Options from the words after the program's name; UsageFault with a near name for unknown ones."""
    given: dict[str, object] = {}
    words: list[str] = []
    rest = [_clean(word) for word in argv]
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if word == "-e" or word == "--execute":
            given["goal"] = _value(word, rest)
        elif word == "-h":
            given["help"] = True
        elif word.startswith("--"):
            _long(word[2:], rest, given)
        elif word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            raise _wrong(f"unknown option {word}", "fieldhand --help lists the options")
        else:
            words.append(word)
    return _checked(given, words)


def _wrong(sentence: str, fix: str) -> UsageFault:
    from edge.faults import UsageFault

    return UsageFault(sentence, fix)


def _clean(word: str) -> str:
    """Bytes that are no text arrive as lone surrogates: replaced here, at the edge."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _value(word: str, rest: list[str]) -> str:
    if not rest:
        raise _wrong(f"{word} needs a value", "fieldhand --help lists the options")
    return rest.pop(0)


def _long(name: str, rest: list[str], given: dict[str, object]) -> None:
    name, equals, value = name.partition("=")
    if name in FLAGS and not equals:
        given[name] = True
    elif name in VALUED:
        given[name.replace("-", "_")] = value if equals else _value(f"--{name}", rest)
    else:
        from edge.schema import near

        hint = near(name, VALUED + FLAGS)
        raise _wrong(f"unknown option --{name}", f"did you mean --{hint}?" if hint else "see fieldhand --help")


def _checked(given: dict[str, object], words: list[str]) -> Options:
    if given.get("trace") not in (None, "json"):
        raise _wrong(f"--trace {given['trace']} is not known", "use --trace json")
    if "goal" in given:
        if words:
            raise _wrong(f"{words[0]!r} stands beside -e", "quote the whole goal: -e 'read the temperature'")
        if not str(given["goal"]).strip():
            raise _wrong("the goal is empty", "for example -e 'How warm is it?'")
        return Options(**given)  # type: ignore[arg-type]
    if words and words[0] not in VERBS:
        from edge.schema import near

        hint = near(words[0], VERBS)
        raise _wrong(
            f"there is no command {words[0]!r}",
            f"did you mean {hint!r}?" if hint else "a goal is given with -e; commands: " + ", ".join(VERBS),
        )
    return Options(verb=words[0] if words else "", words=tuple(words[1:]), **given)  # type: ignore[arg-type]
