"""Options and settings files -> what a run is made of: settings, state folder, scene.

On the path to the prompt: import nothing more here. `os` is imported by what needs it: it costs a start without
`site`, as the single file's, a quarter of the whole, and what the prompt asks `posix` answers too.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from edge.call import Scene
    from edge.cli.args import Options
    from edge.config import Settings
    from edge.gate.policy import Policy
    from edge.grants import Grants
    from edge.peripherals.guard.owned import Owned


SPILL = "BUB_SPILL_THRESHOLD"  # characters of a result from which on it is kept aside; as tools.spill_threshold
# Below /data of a card: written by provisioning, restore, update and the agent, read by the boot and by them (of_card).
OF_CARD = "config etc state update schema provision.new provision.ready provision.taken restore.new restore.old"


def find(environ: Mapping[str, str]) -> str:
    """The settings file to read, "" when there is none. Whether one named by FIELDHAND_CONFIG exists, load says."""
    told = environ.get("FIELDHAND_CONFIG", "")
    if told:
        return told
    for folder in _discovered(environ):
        path = folder + "/config.toml"
        try:
            posix.stat(path)
        except (OSError, ValueError):
            continue
        return path
    return ""


def environment() -> Mapping[str, str]:
    """The environment as `os` gives it, without loading `os` for it."""
    loaded = sys.modules.get("os")
    if loaded is not None:
        found: Mapping[str, str] = loaded.environ
        return found
    coding = sys.getfilesystemencoding()
    given = posix.environ.items()
    return {name.decode(coding, "surrogateescape"): said.decode(coding, "surrogateescape") for name, said in given}


def settings(options: Options, environ: Mapping[str, str]) -> Settings:
    """The settings of this run: file, then options. ConfigFault for what is wrong in either."""
    from edge.config import Settings, load
    from edge.record import replace

    path = options.config or find(environ)
    found = load(path) if path else Settings()
    model = found.model
    if options.model:
        model = replace(model, spec=options.model)
    if options.base_url:
        model = replace(model, base_url=options.base_url)
    changes: dict[str, object] = {} if model is found.model else {"model": model}
    if options.profile or found.profile:
        changes.update(_by_profile(found, options.profile or found.profile))
    if options.mode:
        from edge.gate.policy import preset

        changes["preset"] = preset(options.mode)
    if options.board:
        changes["board"] = options.board
    if options.state:
        changes["state"] = options.state
    if environ.get(SPILL):
        changes["tools"] = replace(found.tools, spill_threshold=_spill_threshold(environ[SPILL]))
    merged = replace(found, **changes) if changes else found
    if merged.board != "sim":
        from edge.cli.board import choose

        choose(merged)
    return merged


def told(options: Options, environ: Mapping[str, str]) -> str:
    """The state folder that the options name, else the settings: what is kept can be read though these are damaged."""
    return options.state or settings(options, environ).state


def _spill_threshold(text: str) -> int:
    from edge.faults import ConfigFault

    if not (text.isascii() and text.isdecimal() and len(text) < 8):
        raise ConfigFault(f"{SPILL} is a number of characters, not {text[:40]!r}", "0 keeps no long results", key=SPILL)
    return int(text)


def _by_profile(found: Settings, name: str) -> dict[str, object]:
    """What the risk profile of that name says over the rest of the file: its level, roots and budgets."""
    from edge.config import profile
    from edge.record import replace

    said = profile(found, name)
    changes: dict[str, object] = {"profile": name, "preset": said.level}
    if said.roots:
        changes["roots"] = said.roots
    if said.budgets:
        changes["budgets"] = replace(found.budgets, **dict(said.budgets))
    return changes


def policy(settings: Settings) -> Policy:
    """What these settings allow, as the gate reads it: the one place where a policy is made.

    `--mode` is the operator's own word at the command line: it sets the level, the rest of the profile stands.
    """
    from edge.gate.policy import Policy
    from edge.record import replace

    budgets = settings.budgets
    made = Policy(
        settings.preset,
        budgets.calls_per_hour,
        budgets.tool_seconds,
        roots=settings.roots,
        block_internal=settings.block_internal,
    )
    if not settings.profile:
        return made
    from edge.config import profile

    said = profile(settings, settings.profile)
    fields = [field for field in type(said).__fields__ if field in Policy.__fields__ and field != "roots"]
    return replace(made, profile=said.name, **{field: getattr(said, field) for field in fields})


def grants(options: Options, scene: Scene) -> Grants:
    """The grants that the command line made, from now on. UsageFault for `until` where no clock was ever set."""
    import time

    from edge.gate.grants import parse
    from edge.grants import Grants

    specs = tuple([parse(text) for text in options.grants])
    now = time.localtime()
    if now.tm_year < 2025 and any(spec.until is not None for spec in specs):
        from edge.faults import UsageFault

        raise UsageFault("a grant says until when it holds, and the clock of this board is not set", "write: for 2h")
    of_day = now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec
    return Grants(specs, scene, time.monotonic(), of_day)


def kept_in(told: str, environ: Mapping[str, str]) -> str:
    """The state folder, "" without one; the short way where it is plainly there. ConfigFault as `state_folder`."""
    folder = told or next(iter(_candidates(environ)), "")
    try:
        status = posix.stat(folder)
    except (OSError, ValueError):
        return state_folder(told, environ)
    is_folder = status.st_mode & 0o170000 == 0o040000  # S_IFMT, S_IFDIR
    return folder if is_folder and not _barred(folder, status) else state_folder(told, environ)


def unkept(folder: str) -> str:
    """What a person has to know of a state folder that keeps nothing, nothing beyond this start of the board, or lost
    some of what it kept."""
    if not folder:
        return "no folder for state can be written: nothing is kept (name one with --state DIR)"
    if folder.startswith("/data/"):  # edge.card.places.DATA, whose module elsewhere is not loaded for a prompt
        from edge.card.boot import facts

        found = facts()
        if found.get("VOLATILE") == "1":
            return "nothing is kept beyond this start: /data is memory, the card's cannot be used (fieldhand doctor)"
        if found.get("DATA_MENDED"):
            return "the card was damaged and mended at this start: some of what was kept may be gone (fieldhand doctor)"
    return ""


def _candidates(environ: Mapping[str, str]) -> list[str]:
    """The folders for state that the environment names, the first that can be had is taken."""
    found = [environ.get("STATE_DIRECTORY", "").split(":")[0]]
    if environ.get("XDG_STATE_HOME"):
        found.append(environ["XDG_STATE_HOME"] + "/fieldhand")
    if environ.get("HOME"):
        found.append(environ["HOME"] + "/.local/state/fieldhand")
    return [folder for folder in found if folder[:1] == "/"]


def state_folder(told: str, environ: Mapping[str, str], reading: bool = False) -> str:
    """The folder for tapes and simulation, made if need be; "" when there is none that can be written.

    Looked for in this order: told, STATE_DIRECTORY (systemd), XDG_STATE_HOME, HOME. Without links. A told folder
    that cannot be written, or that others could write, is a ConfigFault; the others are passed over.

    `reading`: for what only looks, a folder that is there and can be read will do: a card that is read-only, or
    another's that lies in this machine now.
    """
    if told:
        folder = _real(told)
        why = "" if reading and _readable(folder) else _unusable(folder)
        if why:
            from edge.faults import ConfigFault

            raise ConfigFault(f"the state folder {folder or told} {why}", "name another with --state", key="state")
        return folder
    for candidate in _candidates(environ):
        folder = _real(candidate)
        if (reading and _readable(folder)) or not _unusable(folder):
            return folder
    return ""


def _readable(folder: str) -> bool:
    """True when a folder is there and can be looked into."""
    import os

    return os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK)


def _unusable(folder: str) -> str:
    """Why this is no state folder, "" when it is one; it is made when it is not there.

    Its tapes name processes that the next start ends, and are what was said: nobody else may write them.
    """
    if not folder:
        return "cannot be found: the folder Fieldhand was started in is gone"
    import os

    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        status = os.stat(folder)
    except OSError:
        return "cannot be written"
    return _barred(folder, status)


def _barred(folder: str, status: os.stat_result) -> str:
    """Why a folder that is there is no state folder, "" when it is one."""
    if status.st_uid != posix.geteuid():
        return "belongs to another user"
    if status.st_mode & 0o022:
        return "can be written by others: take that from them with chmod go-w"
    return "" if posix.access(folder, posix.W_OK | posix.X_OK) else "cannot be written"


def scene(state: str, environ: Mapping[str, str], settings: Settings | None = None, config: str = "") -> Scene:
    """Folders and what the board declares. `config` is the settings file that the options told.

    The roots are those of the settings, else the folder of the start. A system folder is never a workspace: then
    there is none.
    """
    import os

    from edge.call import Root, Scene
    from edge.gate.paths import is_workspace

    cwd = _real(".")
    home = environ.get("HOME", "")
    home = os.path.realpath(home) if home[:1] == "/" else ""
    roots: tuple[Root, ...] = ()
    if settings is not None and settings.roots:
        roots = tuple(Root(f"root{number}", path) for number, path in enumerate(settings.roots, 1))
    elif is_workspace(cwd):
        roots = (Root("work", cwd),)
    own = _named([settings.model.key_file] if settings is not None else [])
    told = [config, environ.get("FIELDHAND_CONFIG", ""), *_discovered(environ), *_program(), *of_card()]
    if settings is None or settings.board == "sim":
        from edge.peripherals.sim.declare import OUTPUTS, SENSORS

        return Scene(cwd, home, roots, SENSORS, OUTPUTS, state, True, own, _named(told))
    from edge.cli.board import choose, headed

    chosen = choose(settings)
    owned = chosen.owned
    sensors, outputs = (owned.sensors, owned.outputs) if owned is not None else ((), ())
    return Scene(
        cwd,
        home,
        roots,
        (*sensors, *chosen.sensors),
        outputs,
        state,
        not chosen.real,
        own,
        _named([*told, *_board_file(settings)]),
        headed(chosen.gpio),
        chosen.sources,
        chosen.ports,
    )


def owned(settings: Settings) -> Owned:
    """What a guard of these settings owns."""
    from edge.cli.board import choose
    from edge.peripherals.guard.owned import Owned

    return choose(settings).owned or Owned()


def _board_file(settings: Settings) -> list[str]:
    """The board file is part of what says what may be done."""
    return [] if settings.board == "auto" or settings.board.startswith("sim:") else [settings.board]


def _real(path: str) -> str:
    """`path` absolute and without links; "" when it is relative and the folder of the start is gone."""
    import os

    try:
        return os.path.realpath(path)
    except OSError:
        return ""


def _named(paths: list[str]) -> tuple[str, ...]:
    """The paths as they are spelled and as they really are, each once."""
    import os

    found: dict[str, None] = {}
    for path in paths:
        real = _real(path) if path else ""
        if real:
            found[os.path.abspath(path)] = None
            found[real] = None
    return tuple(found)


def _discovered(environ: Mapping[str, str]) -> list[str]:
    """The folders in which a start looks for settings."""
    folders = [environ.get("XDG_CONFIG_HOME", "")]
    if environ.get("HOME"):
        folders.append(environ["HOME"] + "/.config")
    folders.append("/etc")
    return [folder + "/fieldhand" for folder in folders if folder[:1] == "/"]


def of_card(root: str = "") -> list[str]:
    """What the boot of a card obeys as root, and an operator's commands there: settings, keys that updates are taken
    by, what is ready to take their place, state folders. Nothing elsewhere: there /data is a folder like any other.
    """
    import os

    if not os.path.exists(f"{root}/etc/fieldhand/release"):
        return []
    return [f"{root}/data/{name}" for name in OF_CARD.split()]


def _program() -> list[str]:
    """Where this program itself lies: in a checkout that is worked in, it is part of the workspace."""
    import os

    import edge

    package = os.path.dirname(os.path.abspath(edge.__file__))
    library = os.path.dirname(package)
    parts = [package, package + "/tools", package + "/peripherals"]
    return [library] if os.path.isfile(library) else [*parts, library + "/bin/fieldhand"]
