"""The command line -> Options. On the path to the prompt: import nothing more here.

Options may stand before or after the verb; `--` ends them. Values come as `--name value` or `--name=value`.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.faults import UsageFault

VALUED = (
    *("board", "model", "base-url", "mode", "profile", "grant", "config", "state", "trace", "tool", "why"),
    *("key", "from", "head", "socket", "users"),
)
FLAGS = ("yes", "unattended", "ask", "json", "debug", "version", "help", "all", "network", "once")
VERBS = (
    *("tools", "tool", "policy", "doctor", "tape", "sim", "stop", "resume", "safe-all", "guard", "approvals"),
    *("audit", "config", "wire", "image", "update", "data", "provision", "card", "supervise"),
)
# What stands behind it belongs to another program, word for word.
HANDED_ON = "image"
# Options that only some commands know; anywhere else they would be heard and mean nothing.
ONLY = {
    **{"all": ("stop", "resume"), "network": ("stop", "resume"), "tool": ("stop", "resume"), "why": ("stop",)},
    **{"socket": ("guard", "safe-all"), "users": ("guard",)},
    **{"key": ("audit",), "from_": ("audit",), "head": ("audit",), "once": ("sim",)},
}


class Options(Record):
    """What was asked. Empty text = not given. `goal` is None outside `-e`; `grants` as they were written."""

    verb: str = ""
    words: tuple[str, ...] = ()
    goal: str | None = None
    board: str = ""
    model: str = ""
    base_url: str = ""
    mode: str = ""
    profile: str = ""
    grants: tuple[str, ...] = ()
    config: str = ""
    state: str = ""
    trace: str = ""
    tool: str = ""
    why: str = ""
    key: str = ""
    from_: str = ""
    head: str = ""
    socket: str = ""
    users: str = ""
    yes: bool = False
    ask: bool = False
    unattended: bool = False
    all: bool = False
    network: bool = False
    once: bool = False
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
            more = (
                f"; quote a value that holds blanks: '{words[-1]} {word}'"
                if words[:1] == ["tool"] and words[1:]
                else ""
            )
            raise _wrong(f"unknown option {word}", "fieldhand --help lists the options" + more)
        else:
            words.append(word)
            if words == [HANDED_ON]:
                words += rest
                break
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
        told = value if equals else _value(f"--{name}", rest)
        if name == "grant":
            given["grants"] = (*given.get("grants", ()), told)  # type: ignore[misc]
        else:
            given["from_" if name == "from" else name.replace("-", "_")] = told
    else:
        from edge.schema import near

        hint = near(name, VALUED + FLAGS)
        raise _wrong(f"unknown option --{name}", f"did you mean --{hint}?" if hint else "see fieldhand --help")


def _approved(given: dict[str, object]) -> None:
    """What is approved beforehand is read at once: what is wrong with it is not to come up at the first line."""
    if "grants" in given:
        from edge.gate.grants import parse as read

        for grant in given["grants"]:  # type: ignore[attr-defined]
            read(grant)
    if "yes" in given and "unattended" in given:
        fix = "grant what may happen: --grant 'output_set fan <=10m'"
        raise _wrong("--yes and --unattended exclude each other", fix)


def _checked(given: dict[str, object], words: list[str]) -> Options:
    if given.get("trace") not in (None, "json"):
        raise _wrong(f"--trace {given['trace']} is not known", "use --trace json")
    verb = "" if "goal" in given or not words else words[0]
    for name in given:
        if name in ONLY and verb not in ONLY[name]:
            raise _wrong(f"--{name.rstrip('_')} is for {' and '.join(ONLY[name])}", "see fieldhand --help")
    _approved(given)
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
