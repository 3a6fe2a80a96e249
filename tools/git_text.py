"""What a repository told, as short as git's own words: status, log, differences. Pure."""

from __future__ import annotations

from edge.tools.calendar_day import day
from edge.tools.git_lines import hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

CLIP = 8000  # bytes that are shown
WHOLE = 4 << 20
_WIDEST = 120


def fitted(lines: Iterable[str], notes: Iterable[str] = (), more: str = "name paths") -> tuple[str, str]:
    """The lines as far as they fit, with what was left out, and the whole text when that is another one."""
    kept = list(lines)
    told = [f"[{note}]" for note in notes]
    size, count = sum(len(note.encode("utf-8", "replace")) for note in told), 0
    for line in kept:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > CLIP and count:
            break
        count += 1
    text = "\n".join([*kept[:count], *told])
    if count == len(kept):
        return text, ""
    text += f"\n[{count:,} of {len(kept):,} lines shown; {more}]"
    return text, "\n".join([*kept, *told])[:WHOLE]


def head_line(found: Mapping[str, Any]) -> str:
    """Where HEAD is, as `git status -sb` begins."""
    if not found["head"]:
        return f"## No commits yet on {found['branch']}"
    return f"## {found['branch']}" if found["branch"] else f"## HEAD (no branch) at {found['head'][:7]}"


def log_line(commit: Mapping[str, Any]) -> str:
    author = one_line(commit["author"].partition(" <")[0], 30)
    return f"{commit['id'][:7]} {date(commit['time'], commit['zone'])} {author}: {one_line(commit['subject'])}"


def commit_head(commit: Mapping[str, Any]) -> list[str]:
    """A commit as `git show` begins."""
    lines = [f"commit {commit['id']}"]
    if len(commit["parents"]) > 1:
        parents = " ".join(parent[:7] for parent in commit["parents"])
        lines.append(f"Merge: {parents} (shown against the first)")
    lines += [f"Author: {one_line(commit['author'])}", f"Date:   {date(commit['time'], commit['zone'], True)}", ""]
    return [*lines, *(f"    {line}".rstrip() for line in commit["message"].rstrip("\n").split("\n")), ""]


def one_line(text: str, most: int = _WIDEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def date(seconds: int, zone: int, clock: bool = False) -> str:
    """The day, in the zone of who wrote it; with its time when `clock`."""
    days, rest = divmod(seconds + zone, 86400)
    year, month, of_month = day(days)
    text = f"{year:04}-{month:02}-{of_month:02}"
    if not clock:
        return text
    sign, minutes = "-" if zone < 0 else "+", abs(zone) // 60
    return f"{text} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02} {sign}{minutes // 60:02}{minutes % 60:02}"


def diff_lines(found: Mapping[str, Any]) -> list[str]:
    """The files of a difference as git writes them."""
    lines: list[str] = []
    for one in found["files"]:
        if one["old"] and one["new"] and one["old"] & 0o170000 != one["new"] & 0o170000 and not one["why"]:
            # A file that became a link, as git says it: one goes, another comes.
            lines += _file({**one, "new": 0, "after": None}) + _file({**one, "old": 0, "before": None})
        else:
            lines += _file(one)
    if found["left"]:
        lines.append(f"[{found['left']:,} more files differ; name paths]")
    return lines


def _file(one: Mapping[str, Any]) -> list[str]:
    path, old, new = one["path"], one["old"], one["new"]
    lines = [f"diff --git a/{path} b/{path}"]
    if not old:
        lines.append(f"new file mode {new:o}")
    elif not new:
        lines.append(f"deleted file mode {old:o}")
    elif old != new:
        lines += [f"old mode {old:o}", f"new mode {new:o}"]
    if one["why"]:
        return [*lines, f"[{path}: {one['why']}]"]
    before, after = one["before"] or b"", one["after"] or b""
    if before == after:
        return lines
    lines += ["--- " + (f"a/{path}" if old else "/dev/null"), "+++ " + (f"b/{path}" if new else "/dev/null")]
    text = b"".join(hunks(before, after)).decode("utf-8", "replace")
    return lines + text.rstrip("\n").split("\n") if text else lines
