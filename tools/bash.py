"""Run a shell command behind the wall: wait for its end, or let it go on in the background.

Rules:
1. The whole text is one effect: the gate reads it, the hand runs it byte for byte by /bin/sh. A folder to run it in is
   an effect of its own, and the text is judged from there.
2. Both streams come back, stdout first, without terminal escapes, overwritten progress lines and runs of blank
   lines; each is clipped. How it ended is said in brackets when it was not with code 0.
3. A code other than 0, a signal and a deadline make the call fail and keep the output.
4. What the output shows otherwise than it is, and that no wall held the files, is said with every result.
5. A program may write much: it is tidied in pieces, and nothing is held as many small strings.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.text import clip, plain
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

SECONDS = 30
CLIP = 2048  # bytes of each stream
_PIECE = 32768  # characters that are tidied together
_FACTS = ("code", "signal", "ended", "seconds", "wall", "killed", "cut")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    folder = args.get("cwd", "")
    if not folder:
        return (Effect("run", "shell:sh", detail=args["command"]),)
    return (Effect("list", f"file:{folder}"), Effect("run", f"shell:sh:{folder}", detail=args["command"]))


def words(args: Args, scene: Scene) -> str:
    where = f" in {args['cwd']}" if args.get("cwd") else ""
    return f"run in a shell{where}{' in the background' if args.get('background') else ''}: {args['command']}"


def run(args: Args, hands: Hands) -> Observation:
    seconds = float(args.get("timeout_seconds", SECONDS))
    found = dict(hands.run.shell(args["command"], seconds, args.get("cwd", ""), args.get("background", False)))
    out, err = tidied(found.pop("stdout")), tidied(found.pop("stderr"))
    good = found["ended"] == "moved" or (found["ended"] == "exit" and found["code"] == 0)
    # What the wall keeps closed beyond the permit explains a failure; a success needs no word about it.
    told = [f"[{said}]" for said in (*_ending(found), *(() if good else found["said"]), *found["notes"])]
    (short, out_fits), (short_err, err_fits) = _clipped(out), _clipped(err)
    text = "\n".join([*_streams(short, short_err), *told])
    whole = "" if out_fits and err_fits else _whole(out, err, told)
    facts = {name: found[name] for name in _FACTS}
    if found["ended"] == "moved":
        facts = {**facts, "shell_id": found["shell_id"], "status": "running", "next_offset": found["next_offset"]}
    return Observation(good, text or "(no output)", facts, True, whole)


def _streams(out: str, err: str) -> list[str]:
    return [out] * bool(out) + ["[stderr]\n" + err] * bool(err)


def _whole(out: list[str], err: list[str], told: list[str]) -> str:
    """The same with nothing clipped."""
    parts = [out] * bool(out) + [["[stderr]\n", *err]] * bool(err) + [[one] for one in told]
    return "".join([piece for number, part in enumerate(parts) for piece in (*["\n"] * bool(number), *part)])


def _clipped(pieces: list[str]) -> tuple[str, bool]:
    """What is shown of a stream, and whether that is all of it."""
    if sum(map(len, pieces)) <= 2 * CLIP:
        text = "".join(pieces)
        shown = clip(text, CLIP)
        return shown, shown == text
    ends = ["", ""]
    for piece in pieces:
        ends[0] += piece[: CLIP - len(ends[0])]
        if len(ends[0]) == CLIP:
            break
    for piece in reversed(pieces):
        ends[1] = piece[max(0, len(piece) + len(ends[1]) - CLIP) :] + ends[1]
        if len(ends[1]) == CLIP:
            break
    both = "".join(ends)
    size = sum([len(piece.encode()) for piece in pieces])
    return clip(both, CLIP, size - len(both.encode())), False


def tidied(text: str) -> list[str]:
    """`text` as it stands on a screen in the end: no escapes, of a progress line its last state, no runs of blanks.

    In pieces, of which none takes more room for a letter than its own letters need.
    """
    pieces: list[str] = []
    blank = True  # what stands before is empty, or ends with an empty line
    at = 0
    while at < len(text):
        end = len(text)
        if end - at > _PIECE:
            end = text.find("\n", at + _PIECE - 1) + 1 or end
        piece, blank = _tidied(text[at:end], blank)
        pieces.append(piece)
        at = end
    while pieces:
        last = pieces.pop().rstrip("\n")
        if last:
            return [*pieces, last]
    return []


def _tidied(text: str, blank: bool) -> tuple[str, bool]:
    """These lines, each with its newline but perhaps the last of all; and whether the last one is empty."""
    if text.isascii() and _is_tidy(text):
        return text, False
    lines: list[str] = []
    for line in (text[:-1] if text.endswith("\n") else text).replace("\r\n", "\n").split("\n"):
        shown = plain(line.rstrip("\r").rpartition("\r")[2]).rstrip()
        if shown or not blank:
            lines.append(shown)
        blank = not shown
    return "".join([line + "\n" for line in lines]), blank


def _is_tidy(text: str) -> bool:
    """True when nothing in this text has to change, as in nearly all that programs write."""
    spaced = " \n" in text or "\t\n" in text or "\n\n" in text
    return not spaced and text[0] != "\n" and text[-1] not in " \t" and plain(text) == text


def _ending(found: Mapping[str, Any]) -> list[str]:
    said = []
    if found["ended"] == "moved":
        name, offset = found["shell_id"], found["next_offset"]
        said.append(
            f"it goes on in the background as {name}; bash_output shell_id={name} offset={offset} reads what comes, "
            "bash_kill ends it"
        )
    elif found["ended"] == "deadline":
        full = f"; it could not go on in the background: {found['full']}" if "full" in found else ""
        said.append(f"its time of {round(found['seconds'], 1):g} s was over: it and all it started were ended{full}")
    elif found["ended"] == "stopped":
        said.append("it was stopped, with all it started")
    elif found["signal"]:
        said.append(f"ended by {found['signal']}")
    elif found["code"]:
        said.append(f"exit code {found['code']}")
    if found["ended"] == "exit" and found["killed"]:
        said.append(f"what it left running was ended ({found['killed']})")
    if found["cut"]:
        said.append(f"{found['cut']} bytes of output were not kept")
    return said


TOOL = Tool(
    name="bash",
    about="Run a POSIX sh command that ends by itself. Files, search, HTTP: use the tools.",
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1},
            "cwd": {"type": "string"},
            "timeout_seconds": {"type": "number", "minimum": 0},
            "background": {"type": "boolean"},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=('command="uptime; free -m"', 'command="dmesg | tail -n 20" timeout_seconds=10'),
)
