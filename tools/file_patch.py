"""Apply a unified diff to one or several files: all of it or nothing.

Rules:
1. Every hunk of every file is fitted before the first file is written. Each file is then written whole, in the order
   of the patch, files that go last; a write that fails takes back those before it.
2. Power that fails between two files leaves each of them whole, the first ones new, the rest old. The same patch run
   again finishes it: a file that holds the result already is told and left alone.
3. A file that something else changed since it was read is not written. What is deleted goes to the trash.
"""

from __future__ import annotations

from edge.call import TRASH, Effect, Observation
from edge.faults import Fault, ToolFault, UsageFault
from edge.record import Record
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.call import Args, Scene
    from edge.tool import Hands
    from edge.tools.patches import FilePatch

NEW = (0, 0, 0, 0)  # the stamp of what is not there
_TOLD = 40  # sentences


class Planned(Record):
    """One file: what it held, its stamp, what it will hold (None: it goes)."""

    path: str
    old: bytes | None
    stamp: tuple[int, int, int, int]
    new: bytes | None


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    """What goes is written into the trash too, so that what is known of its words is known of them there."""
    patches = _read(args)
    gone = {one.path for one in patches if one.gone}
    found: list[Effect] = []
    for path in dict.fromkeys([one.path for one in patches]):
        put = Effect("write", f"file:{path}", False, TRASH if path in gone else "")
        found += [Effect("read", f"file:{path}"), put]
    return tuple(found)


def words(args: Args, scene: Scene) -> str:
    return "apply a patch: " + ", ".join(
        [f"{'make' if one.made else 'delete' if one.gone else 'change'} {one.path}" for one in _read(args)]
    )


def _read(args: Args) -> tuple[FilePatch, ...]:
    from edge.tools.patches import read

    try:
        return read(args["patch"])
    except ToolFault as fault:
        raise UsageFault(fault.sentence, fault.fix) from None


def run(args: Args, hands: Hands) -> Observation:
    plans: dict[str, Planned] = {}
    told: list[str] = []
    for one in _read(args):
        plans[one.path] = _planned(one, plans.get(one.path) or _there(one.path, hands), told, hands.files.why)
    told[_TOLD:] = [f"and {len(told) - _TOLD} more of that kind"] * (len(told) > _TOLD)
    todo = [plan for plan in plans.values() if plan.new != plan.old]
    todo.sort(key=lambda plan: plan.new is None)
    _write(todo, hands)
    text = ", ".join([f"{_verb(plan)} {plan.path}" for plan in todo]) or "nothing to do: all of it is there already"
    facts = {"files": [{"path": plan.path, "was": _verb(plan)} for plan in todo], "told": told}
    return Observation(True, "\n".join([text, *[f"[{sentence}]" for sentence in told]]), facts, untrusted=True)


def _verb(plan: Planned) -> str:
    return "deleted" if plan.new is None else "made" if plan.old is None else "changed"


def _there(path: str, hands: Hands) -> Planned:
    from edge.tools.edits import LARGEST

    data, stamp = hands.files.whole(path, LARGEST, absent=True)
    if stamp == NEW:
        return Planned(path, None, NEW, None)
    return Planned(path, data, stamp, data)


def _planned(one: FilePatch, plan: Planned, told: list[str], late: Callable[[], str]) -> Planned:
    """The plan after one part of the patch. ToolFault when it does not fit."""
    from edge.record import replace
    from edge.tools.patches import apply

    if one.made and plan.new:
        if _applied(one, plan.new, late):
            told.append(f"{one.path} holds that already")
            return plan
        raise ToolFault(f"{one.path} is there, and the patch would make it", "nothing was changed")
    if plan.new is None and not one.made:
        if one.gone:
            told.append(f"{one.path} is gone already")
            return plan
        raise ToolFault(f"{one.path} is not there, and the patch would change it", "nothing was changed")
    try:
        new, said = apply(plan.new or b"", one, late=late)
    except ToolFault:
        if plan.new is None or not _applied(one, plan.new, late):
            raise
        told.append(f"{one.path} holds that already")
        return plan
    told += said
    if one.gone and new:
        raise ToolFault(f"{one.path} holds more than the patch deletes", "nothing was changed")
    return replace(plan, new=None if one.gone else new)


def _applied(one: FilePatch, data: bytes, late: Callable[[], str]) -> bool:
    """Does the file hold what the patch would make of it (rule 2)?"""
    from edge.tools.patches import apply

    try:
        old, _ = apply(data, one, True, late)
    except ToolFault:
        return False
    return not one.made or not old


def _write(todo: list[Planned], hands: Hands) -> None:
    done: list[Planned] = []
    try:
        for plan in todo:
            if plan.new is None:
                hands.files.delete(plan.path, False, False)
            else:
                hands.files.put(plan.path, plan.new, stamp=plan.stamp)
            done.append(plan)
    except Fault as fault:
        left = [plan.path for plan in reversed(done) if not _taken_back(plan, hands)]
        rest = f"{', '.join(left)} stays changed" if left else "nothing was changed"
        raise ToolFault(f"the patch was not applied: {fault.sentence}", rest) from fault


def _taken_back(plan: Planned, hands: Hands) -> bool:
    try:
        if plan.old is None:
            hands.files.delete(plan.path, False, True)
        else:
            hands.files.put(plan.path, plan.old)
    except Fault:
        return False
    return True


TOOL = Tool(
    name="file_patch",
    about="Apply a unified diff to one or several files: all of it or nothing; /dev/null makes or deletes a file.",
    schema={
        "type": "object",
        "properties": {"patch": {"type": "string", "minLength": 1, "maxLength": 1048576}},
        "required": ["patch"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("patch='--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-old\n+new\n'",),
)
