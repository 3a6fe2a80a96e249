"""Where a path leads, as text: which root, what kind of place. Pure; nothing is opened.

Rules:
1. `.` and `..` and repeated slashes are resolved as text; a link is found later, by the hand that opens.
2. A path that holds a NUL or ends in a slash after a name is taken as written and refused by the hand.
3. Kinds, the first that fits: own (the agent's state), secret (by its parts, whatever the case),
   workspace (inside a root), readable (system places that hold no secrets), system (places whose
   change breaks a board), outside (all else).
4. The path granted is relative to its root; the root of everything is named `system` and is `/`.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene

READABLE = ("/etc", "/usr", "/proc", "/sys", "/boot", "/var/log", "/run/log")
SYSTEM = ("/etc", "/usr", "/boot", "/dev", "/sys", "/proc", "/lib", "/bin", "/sbin", "/var", "/run", "/root", "/home")
SECRET_PARTS = frozenset(
    (
        ".env",
        ".ssh",
        ".gnupg",
        ".aws",
        ".kube",
        ".docker",
        ".netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".htpasswd",
        "shadow",
        "shadow-",
        "gshadow",
        "gshadow-",
        "sudoers",
        "environ",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials",
        "credentials.json",
        "secrets.toml",
        "secrets.yaml",
        "secrets.yml",
        "secrets.json",
        "token",
        "tokens",
    )
)
SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".keystore", ".kdbx", ".env")


class Place(Record):
    """`kind` as in rule 3; `root` the name of a root; `path` relative to it; `full` the absolute path."""

    kind: str
    root: str
    path: str
    full: str


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


def is_secret(path: str) -> bool:
    """True when a part of `path` is the name of something that holds keys."""
    for part in path.lower().split("/"):
        if part in SECRET_PARTS or part.startswith(".env.") or part.endswith(SECRET_ENDS):
            return True
    return False


def place(path: str, scene: Scene) -> Place:
    """Where `path`, as a call gave it, leads in this scene."""
    if path.startswith("~/") and scene.home:
        path = scene.home + path[1:]
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
    if scene.state and inside(full, scene.state):
        kind = "own"
    elif is_secret(full):
        kind = "secret"
    return Place(kind, name, rest, full)
