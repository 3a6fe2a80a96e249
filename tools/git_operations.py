"""Look at a repository of git and record changes in it, without git and without the network.

Rules:
1. What is not in the table of operations cannot be said: no option of git, no command, no remote.
2. Looking declares the folder of the repository, deep; changing declares the repository too, and the files of the work
   tree where they would change. A file that is named is declared by itself, so that a key is asked for.
3. Nothing that is kept nowhere else is lost: checkout and stash refuse instead.
"""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

_LIMIT = 20
_PATHS = 100
# Which arguments an operation knows beside `operation` and `path`.
_KNOWN = {
    "status": ("paths",),
    "diff": ("paths", "ref"),
    "staged": ("paths", "ref"),
    "log": ("paths", "ref", "limit"),
    "show": ("paths", "ref"),
    "branch": ("ref",),
    "add": ("paths",),
    "commit": ("message", "author"),
    "checkout": ("paths", "ref"),
    "stash": ("message",),
    "stash_pop": (),
    "stash_list": (),
}
_NEEDED = {"add": ("paths",), "commit": ("message",)}
_CHANGES = ("add", "commit", "checkout", "stash", "stash_pop")
_WRONG_IN_NAMES = "<>\n\r\0"


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    operation, paths = args.get("operation", "status"), _checked(args)
    repo = args.get("path") or "."
    found = [Effect("read", f"file:{repo}", True)]
    if operation in ("diff", "staged", "show", "add"):
        found += [Effect("read", f"file:{repo}/{path}") for path in paths if path]
    if operation not in _CHANGES and not (operation == "branch" and args.get("ref")):
        return tuple(found)
    found.append(Effect("write", f"repo:{repo}", detail=operation))
    if operation == "checkout" and paths:
        found += [Effect("write", f"file:{repo}/{path}" if path else f"file:{repo}", True) for path in paths]
    elif operation in ("checkout", "stash", "stash_pop"):
        found.append(Effect("write", f"file:{repo}", True))
    return tuple(found)


def _checked(args: Args) -> list[str]:
    """The paths, from the folder of the repository, "" for it itself. UsageFault for what does not go together."""
    operation = args.get("operation", "status")
    known = _KNOWN[operation]
    strange = [name for name, value in args.items() if value and name not in ("operation", "path", *known)]
    if strange:
        raise UsageFault(f"{operation} takes no {strange[0]}", f"it takes path{''.join(', ' + one for one in known)}")
    for name in _NEEDED.get(operation, ()):
        if not args.get(name, "").strip():
            raise UsageFault(f"{operation} needs {name}", "paths=. means all" if name == "paths" else "")
    if operation == "checkout" and not (args.get("ref") or args.get("paths")):
        raise UsageFault("checkout needs ref (a branch or commit to go to) or paths (files to bring back)")
    if operation == "staged" and ".." in args.get("ref", ""):
        raise UsageFault("staged compares the index with one commit, not two", "diff compares A..B")
    _author(args.get("author", ""))
    return _relative(_split(args.get("paths", "")))


def _split(text: str) -> list[str]:
    """The words of a text; quotes hold one together, a backslash takes the next letter as it is."""
    found: list[str] = []
    word, quote, begun = "", "", False
    letters = iter(text)
    for letter in letters:
        if letter == "\\" and quote != "'":
            word, begun = word + next(letters, ""), True
        elif quote:
            quote, word = ("", word) if letter == quote else (quote, word + letter)
        elif letter in "'\"":
            quote, begun = letter, True
        elif not letter.isspace():
            word, begun = word + letter, True
        elif begun:
            found.append(word)
            word, begun = "", False
    if quote:
        raise UsageFault("paths holds a quote that is not closed", "names with spaces stand in quotes")
    return [*found, word] if begun else found


def _author(author: str) -> None:
    name, mark, mail = author.partition(" <")
    wrong = not name.strip() or not mark or not mail.endswith(">") or set(name + mail[:-1]) & set(_WRONG_IN_NAMES)
    if author and wrong:
        raise UsageFault("author is 'Name <mail>'", "for example 'Field Bench <bench@example.org>'")


def _relative(paths: list[str]) -> list[str]:
    found = []
    if len(paths) > _PATHS:
        raise UsageFault(f"at most {_PATHS} paths", "a folder stands for all below it")
    for path in paths:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if not path or path.startswith("/") or ".." in parts or "\0" in path:
            raise UsageFault(f"{path[:80]!r} is no path from the folder of the repository", "'.' means all of it")
        found.append("/".join(parts))
    return found


def words(args: Args, scene: Scene) -> str:
    operation, repo, paths = args.get("operation", "status"), args.get("path") or ".", args.get("paths", "")
    said = {
        "add": f"take {paths} into the index",
        "commit": f"record what is staged as a commit: {args.get('message', '')}",
        "branch": f"make the branch {args.get('ref')}" if args.get("ref") else "list the branches",
        "checkout": f"bring back {paths}" if paths else f"go to {args.get('ref')}, changing files",
        "stash": "put changed files aside, back to the last commit",
        "stash_pop": "bring back the files that were put aside last",
    }
    return f"{said.get(operation, f'look ({operation})')}, in the repository {repo}"


def run(args: Args, hands: Hands) -> Observation:
    return _RUNS[args.get("operation", "status")](args, hands, args.get("path") or ".", _checked(args))


def _seen(lines: list[str], data: Mapping[str, Any], notes: Any = (), more: str = "name paths") -> Observation:
    from edge.tools.git_text import fitted

    text, whole = fitted(lines, notes, more)
    return Observation(True, text, data, True, whole)


def _status(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import head_line

    found = hands.repo.status(repo, paths)
    lines = [head_line(found), *(f"{mark} {path}" for mark, path in found["entries"])]
    if not found["entries"]:
        lines.append("nothing to commit, the work tree is clean" if not paths else "nothing changed there")
    data = {"branch": found["branch"], "head": found["head"], "count": len(found["entries"])}
    return _seen(lines, {**data, "entries": [list(one) for one in found["entries"][:200]]}, found["notes"])


def _diff(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import diff_lines

    found = hands.repo.diff(repo, args.get("operation") == "staged", args.get("ref", ""), paths)
    names = [one["path"] for one in found["files"]]
    more = (
        "" if args.get("ref") else "; staged shows the index" if args["operation"] == "diff" else "; diff shows files"
    )
    lines = diff_lines(found) or [f"no difference{more}"]
    return _seen(lines, {"files": names[:200], "count": len(names) + found["left"]})


def _log(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import date, log_line, one_line

    limit = args.get("limit", _LIMIT)
    found = hands.repo.log(repo, args.get("ref", ""), paths, limit)
    lines = [log_line(commit) for commit in found["commits"]] or ["no commit"]
    notes = [f"more: limit={limit * 2}, or ref={found['commits'][-1]['id'][:7]}~1"] if found["more"] else []
    rows = [
        {"id": one["id"], "date": date(one["time"], one["zone"], True), "subject": one_line(one["subject"], 80)}
        for one in found["commits"][:60]
    ]
    return _seen(lines, {"commits": rows}, notes, "give a smaller limit")


def _show(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import commit_head, diff_lines

    found = hands.repo.show(repo, args.get("ref", ""), paths)
    names = [one["path"] for one in found["files"]]
    return _seen(
        [*commit_head(found["commit"]), *diff_lines(found)], {"id": found["commit"]["id"], "files": names[:200]}
    )


def _branch(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import head_line, one_line

    if args.get("ref"):
        done = hands.repo.branch(repo, args["ref"])
        return Observation(True, f"made the branch {done['name']} at {done['id'][:7]}; checkout goes to it", done)
    found = hands.repo.branches(repo)
    rows = found["branches"]
    lines = [
        f"{'*' if name == found['branch'] else ' '} {name} {value[:7]} {one_line(said, 80)}"
        for name, value, said in rows
    ]
    if not found["branch"] or not rows:
        lines.insert(0, head_line(found))
    notes = [f"work tree {name}: {where}, not looked into" for name, where in found["linked"]]
    return _seen(lines, {"current": found["branch"], "branches": [name for name, _, _ in rows[:200]]}, notes)


def _add(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    done = hands.repo.add(repo, paths)
    lines = [f"added {len(done['added'])}, removed {len(done['removed'])} in the index"]
    lines += [f"A {path}" for path in done["added"]] + [f"D {path}" for path in done["removed"]]
    data = {"added": done["added"][:200], "removed": done["removed"][:200], "skipped": list(done["skipped"])[:50]}
    return _seen(lines, data, [*done["skipped"], *done["notes"]])


def _commit(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    from edge.tools.git_text import one_line

    done = hands.repo.commit(repo, args["message"], args.get("author", ""))
    first = " (first commit)" * done["first"]
    lines = [f"[{done['branch'] or 'no branch'}{first} {done['id'][:7]}] {one_line(done['subject'])}"]
    lines += [f"{letter} {path}" for letter, path in done["changes"]]
    return _seen(lines, {"id": done["id"], "branch": done["branch"], "files": len(done["changes"])}, done["notes"])


def _checkout(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    if args.get("paths"):
        done = hands.repo.restore(repo, paths, args.get("ref", ""))
        return _seen([f"brought back {_files(done['changed'])}"], {"files": done["changed"]}, done["notes"])
    done = hands.repo.switch(repo, args["ref"])
    where = f"at {done['id'][:7]}, on no branch" if done["detached"] else f"on {done['name']}, at {done['id'][:7]}"
    data = {"id": done["id"], "branch": "" if done["detached"] else done["name"], "files": done["changed"]}
    return _seen([f"now {where}; {_files(done['changed'])} changed"], data, done["notes"])


def _stash(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    push = args["operation"] == "stash"
    done = hands.repo.stash(repo, push, args.get("message", ""))
    what = "put aside" if push else "brought back"
    line = f"{what}: {done['subject']} ({_files(done['changed'])} changed)"
    return _seen([line], {"files": done["changed"]}, done["notes"])


def _stash_list(args: Args, hands: Hands, repo: str, paths: list[str]) -> Observation:
    found = hands.repo.stashes(repo)
    lines = [f"stash@{{{number}}}: {said}" for number, said in enumerate(found)]
    return _seen(lines or ["nothing is put aside"], {"count": len(found)})


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"


_RUNS: dict[str, Callable[[Args, Hands, str, list[str]], Observation]] = {
    "status": _status,
    "diff": _diff,
    "staged": _diff,
    "log": _log,
    "show": _show,
    "branch": _branch,
    "add": _add,
    "commit": _commit,
    "checkout": _checkout,
    "stash": _stash,
    "stash_pop": _stash,
    "stash_list": _stash_list,
}
TOOL = Tool(
    name="git_operations",
    about="Git in a folder, no remotes.",
    schema={
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": list(_KNOWN)},
            "path": {"type": "string", "maxLength": 4096},
            "paths": {"type": "string", "maxLength": 32768},
            "ref": {"type": "string", "maxLength": 200},
            "message": {"type": "string", "maxLength": 16384},
            "author": {"type": "string", "maxLength": 200},
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        },
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("operation=status", "operation=log limit=5", "operation=commit message='pump two runs longer'"),
    needs=("library:dulwich",),
)
