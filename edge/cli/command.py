"""A tool called by a person: `NAME key=value ...` as the model of one call."""

from __future__ import annotations

from edge.faults import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.model.direct import Direct
    from edge.tool import Schema


def direct(command: str, here: Mapping[str, Schema] | None = None) -> Direct:
    """The model of one text command, `NAME key=value ...` with shell-like quotes; UsageFault when it is none.

    here: the schemas of the tools of this run, which a plug-in may have brought or replaced.
    """
    import shlex

    name, _, tail = command.strip().partition(" ")
    if _is_text(name, tail):
        from edge.model.direct import Direct

        return Direct("bash", {"command": tail.strip()})
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageFault(f"the command cannot be read: {str(error).lower()}", "close the quotes") from error
    if not words:
        raise UsageFault("a text command needs a name", ",help lists them")
    return one_call(words, here)


def _is_text(name: str, tail: str) -> bool:
    """True for the shell with a bare text behind it, which is taken as it stands: `,bash echo it's a=b`.

    One that begins with a quotation mark is quoted, as every other argument may be.
    """
    from edge.gate.names import canonical
    from edge.registry import find

    if canonical(name) != "bash" or not tail.strip() or tail.strip()[0] in "'\"":
        return False
    key, equals, _ = tail.partition("=")
    known = [*find("bash").schema["properties"], "timeout"]
    return not (equals and key.strip() in known)


def one_call(words: list[str], here: Mapping[str, Schema] | None = None) -> Direct:
    """The model of one call: a tool's name or alias and its arguments as words; UsageFault. `here`: as above."""
    from edge import dialects
    from edge.cli.spelling import parse
    from edge.gate.names import canonical
    from edge.model.direct import Direct
    from edge.registry import find

    name, meant = words[0], canonical(words[0])
    schemas = {meant: here[meant]} if here and meant in here else {find(name).name: find(name).schema}
    tool, args, _ = dialects.meant(name, parse(words[1:], dialects.form(name, schemas)), schemas)
    return Direct(tool, args)
