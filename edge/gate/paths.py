"""Where a path leads, as text: which root, what kind of place. Pure; nothing is opened.

Rules:
1. `.` and `..` and repeated slashes are resolved as text; a link is found later, by the hand that opens.
   `~` and `~/x` mean the home of who started Fieldhand; `~name` is a name like any other.
2. A path with characters that a person cannot see or that turn what a person reads, and one longer than the
   kernel takes, is `odd` and leads nowhere.
3. Kinds, the first that fits: odd, adrift (a relative path, and the folder it counts from is gone), own (the
   agent's state and keys), secret (secret.py), workspace (inside a root), readable
   (system places that hold no secrets), system (places whose change breaks a board), outside (all else).
4. For a change there are three kinds more, before `workspace`: settings (what says what the agent may do), hook
   (what git or the agent runs or obeys by itself) and startup (what a later login, shell or tool runs by itself).
   What is the agent's own or its settings is known without case too: a card that folds case opens it so.
5. The path granted is relative to its root; the root of everything is named `system` and is `/`.
"""

from __future__ import annotations

from edge.gate.secret import TYPICAL, folded, is_secret
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene

LONGEST = 4096  # bytes; PATH_MAX of Linux
# Marks that turn the direction of what a person reads, separators of lines, and letters that take no room or show
# nothing. Joiners (U+200C, U+200D) and variation selectors are parts of words and signs that are seen.
_UNSEEN = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u00ad\u034f\u115f\u1160"
    "\u17b4\u17b5\u180e\u200b\u2060\u2061\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff9\ufffa\ufffb\ufffc\ufffe\uffff"
)
READABLE = ("/etc", "/usr", "/proc", "/sys", "/boot", "/var/log", "/run/log")
SYSTEM = ("/etc", "/usr", "/boot", "/dev", "/sys", "/proc", "/lib", "/bin", "/sbin", "/var", "/run", "/root", "/home")

SECRET_PARTS = TYPICAL  # for who has to judge a pattern of names
STARTUP_PARTS = frozenset(
    (
        *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc"),
        *(".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc"),
        *(".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".envrc", ".forward", ".vimrc"),
        *(".gdbinit", ".gitconfig", "crontab", "crontabs", "cron.d", "rc.local", "sitecustomize.py", ".bash_env"),
        *(".shrc", ".mkshrc", ".hushlogin", ".k5login", ".rhosts", ".shosts", ".procmailrc", ".mailcap"),
        *(".lessfilter", ".lesskey", ".screenrc", ".tmux.conf", ".nanorc", ".emacs", ".emacs.d", ".vim", ".exrc"),
        *(".nvimrc", ".pythonrc", ".pythonrc.py", ".pdbrc", ".psqlrc", ".sqliterc", ".irbrc", ".rprofile", ".curlrc"),
        *(".wgetrc", ".ipython", ".husky", ".hg", ".direnv", ".pre-commit-config.yaml", ".git"),
        *(".gitmodules", ".lldbinit", ".cargo", ".xserverrc", "usercustomize.py"),
    )
)
STARTUP_PAIRS = frozenset(
    (
        (".config", "autostart"),
        (".config", "systemd"),
        (".config", "environment.d"),
        (".config", "fish"),
        (".config", "git"),
        (".config", "nvim"),
        (".local", "bin"),
        (".vscode", "tasks.json"),
        (".vscode", "settings.json"),
        (".config", "pip"),
        (".config", "pypoetry"),
        (".config", "tmux"),
        (".config", "vim"),
        (".local", "lib"),
    )
)
# Folders that are no workspace, by their first part, whatever lies below; and those that are none themselves.
_NO_TREES = frozenset(
    ("etc", "usr", "boot", "dev", "sys", "proc", "lib", "lib32", "lib64", "libx32", "bin", "sbin", "run", "var", "snap")
)
_NOT_THEMSELVES = frozenset(("/", "/home", "/tmp", "/opt", "/srv", "/mnt", "/media", "/var/tmp"))
_IN_VAR = ("/var/tmp", "/var/lib/fieldhand")


class Place(Record):
    """`kind` as in rule 3, `change` with rule 4; `root` the name of a root, `path` relative to it, `full` absolute."""

    kind: str
    root: str
    path: str
    full: str
    change: str


def absolute(path: str, cwd: str) -> str:
    """`path` seen from `cwd`, without `.`, `..` and repeated slashes. Never above `/`."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{cwd}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def inside(path: str, folder: str) -> bool:
    """True when the absolute `path` is `folder` or below it."""
    return path == folder or folder == "/" or path.startswith(folder + "/")


def is_odd(path: str) -> bool:
    """True when `path` holds control characters, what is not seen or turns text, lone surrogates, or is too long."""
    if len(path) > LONGEST or len(path.encode("utf-8", "surrogatepass")) > LONGEST:
        return True
    if path.isascii():
        return not path.isprintable()
    return any(
        letter < " "
        or "\x7f" <= letter <= "\x9f"
        or "\ud800" <= letter <= "\udfff"
        or letter in _UNSEEN
        or "\U000e0000" <= letter <= "\U000e0fff"  # tags: text that nobody sees, written in letters of their own
        for letter in path
    )


def is_workspace(path: str) -> bool:
    """True when the absolute `path` may be a workspace: never `/`, a system tree, or a folder of everybody's."""
    if path in _NOT_THEMSELVES or not path.startswith("/"):
        return False
    if any(inside(path, folder) for folder in _IN_VAR):
        return True
    return path.split("/")[1] not in _NO_TREES


def is_startup(path: str) -> bool:
    """True when `path` is, or lies in, what the operator's shell, session or tools run without being asked."""
    parts = folded(path).split("/")
    if any(part in STARTUP_PARTS or part.endswith(".git") for part in parts):
        return True
    return not STARTUP_PAIRS.isdisjoint(zip(parts, parts[1:]))


def is_hook(path: str) -> bool:
    """True for what git or this agent runs or obeys by itself: hooks, and a project's own skills and hooks."""
    parts = folded(path).split("/")
    if ".fieldhand" in parts:
        return True
    return any(first.endswith(".git") and second == "hooks" for first, second in zip(parts, parts[1:]))


def place(path: str, scene: Scene) -> Place:
    """Where `path`, as a call gave it, leads in this scene."""
    if is_odd(path):
        return Place("odd", "", "", ascii(path if len(path) < 200 else path[:200] + "..."), "odd")
    if (path == "~" or path.startswith("~/")) and scene.home:
        path = scene.home + path[1:]
    if not path.startswith("/") and not scene.cwd:
        return Place("adrift", "", "", path, "adrift")
    full = absolute(path, scene.cwd)
    for root in scene.roots:
        if inside(full, root.path):
            kind = "workspace"
            name, rest = root.name, full[len(root.path.rstrip("/")) + 1 :] or "."
            break
    else:
        kind = "outside"
        name, rest = "system", full[1:] or "."
        if any(inside(full, folder) for folder in READABLE):
            kind = "readable"
        elif any(inside(full, folder) for folder in SYSTEM):
            kind = "system"
    seen = folded(full)
    if (scene.state and inside(seen, folded(scene.state))) or any(inside(seen, folded(own)) for own in scene.own):
        kind = "own"
    elif is_secret(full):
        kind = "secret"
    change = kind
    if kind != "own" and any(inside(seen, folded(one)) for one in scene.settings):
        change = "settings"
    elif kind == "workspace" and is_hook(full):
        change = "hook"
    elif kind == "workspace" and is_startup(full):
        change = "startup"
    return Place(kind, name, rest, full, change)
