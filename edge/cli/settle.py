"""Options and settings files -> what a run is made of: settings, state folder, scene.

On the path to the prompt: import nothing more here.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.call import Scene
    from edge.cli.args import Options
    from edge.config import Settings

# Folders that are never a workspace, and below which nothing is one.
_NEVER = ("/etc", "/usr", "/boot", "/dev", "/sys", "/proc", "/lib", "/bin", "/sbin")
_NOT_ITSELF = ("/", "/home", "/var", "/run", "/tmp", "/opt", "/srv", "/mnt", "/media")


def find(environ: Mapping[str, str]) -> str:
    """The settings file to read, "" when there is none. Whether one named by FIELDHAND_CONFIG exists, load says."""
    told = environ.get("FIELDHAND_CONFIG", "")
    if told:
        return told
    folders = [environ.get("XDG_CONFIG_HOME", "")]
    if environ.get("HOME"):
        folders.append(environ["HOME"] + "/.config")
    folders.append("/etc")
    for folder in folders:
        path = folder + "/fieldhand/config.toml"
        if folder[:1] == "/" and os.path.exists(path):
            return path
    return ""


def settings(options: Options, environ: Mapping[str, str]) -> Settings:
    """The settings of this run: file, then options. ConfigFault for what is wrong in either."""
    from edge.config import Settings, load
    from edge.faults import ConfigFault
    from edge.record import replace

    path = options.config or find(environ)
    found = load(path) if path else Settings()
    model = found.model
    if options.model:
        model = replace(model, spec=options.model)
    if options.base_url:
        model = replace(model, base_url=options.base_url)
    changes: dict[str, object] = {} if model is found.model else {"model": model}
    if options.mode:
        from edge.gate.policy import preset

        changes["preset"] = preset(options.mode)
    if options.board:
        changes["board"] = options.board
    if options.state:
        changes["state"] = options.state
    merged = replace(found, **changes) if changes else found
    if merged.board != "sim":
        raise ConfigFault(f"there is no board {merged.board!r} in this version", "use --board sim", key="board")
    return merged


def state_folder(told: str, environ: Mapping[str, str]) -> str:
    """The folder for tapes and simulation, made if need be; "" when there is none that can be written.

    Looked for in this order: told, STATE_DIRECTORY (systemd), XDG_STATE_HOME, HOME. A told folder that
    cannot be written is a ConfigFault; the others are passed over.
    """
    if told:
        folder = os.path.abspath(told)
        if not _usable(folder):
            from edge.faults import ConfigFault

            raise ConfigFault(f"the state folder {folder} cannot be written", "name another with --state", key="state")
        return folder
    candidates = [environ.get("STATE_DIRECTORY", "").split(":")[0]]
    if environ.get("XDG_STATE_HOME"):
        candidates.append(environ["XDG_STATE_HOME"] + "/fieldhand")
    if environ.get("HOME"):
        candidates.append(environ["HOME"] + "/.local/state/fieldhand")
    for folder in candidates:
        if folder.startswith("/") and _usable(folder):
            return os.path.normpath(folder)
    return ""


def _usable(folder: str) -> bool:
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def scene(state: str, environ: Mapping[str, str]) -> Scene:
    """Folders and what the board declares. A system folder is never a workspace: then there is none."""
    from edge.call import Root, Scene
    from edge.gate.paths import inside
    from edge.peripherals.sim.declare import OUTPUTS, SENSORS

    cwd = os.getcwd()
    barred = cwd in _NOT_ITSELF or any(inside(cwd, folder) for folder in _NEVER)
    roots = () if barred else (Root("work", cwd),)
    return Scene(cwd, environ.get("HOME", ""), roots, SENSORS, OUTPUTS, state, simulated=True)
