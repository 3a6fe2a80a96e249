"""Where in the settings file a fault lies that was found only when its value was used: a key file, a model's script.

Rules:
1. The key is named as it was written: several spellings may say the same (`backend.ca_file`), and a fault knows one.
2. What the command line said over the file is not the file's fault, nor is a key that is not in it.
"""

from __future__ import annotations

from edge.faults import ConfigFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.cli.args import Options

OVER = {"model.base_url": "base_url", "model.name": "model", "state": "state", "board": "board", "mode": "mode"}


def located(fault: ConfigFault, options: Options, environ: Mapping[str, str]) -> ConfigFault:
    """The fault with `file:line` and the key as it was written, as far as the settings file is where it comes from."""
    from edge.cli import settle

    key = "model.name" if fault.key == "model" else fault.key
    path = options.config or settle.find(environ)
    if fault.where or not key or not path or getattr(options, OVER.get(key, ""), ""):
        return fault
    written, line = _written(key, path)
    if not line:
        return fault
    named = fault.sentence if written.rpartition(".")[2] in fault.sentence else f"{written}: {fault.sentence}"
    return ConfigFault(named, fault.fix, f"{path}:{line}", written)


def _written(key: str, path: str) -> tuple[str, int]:
    """The key of the file that sets the same as `key`, and its line; 0 where none does or it cannot be read now."""
    from edge.config import board_file
    from edge.config_keys import KEYS

    try:
        lines = board_file(path)[1]
    except ConfigFault:
        return key, 0
    same = [one for one, row in KEYS.items() if key in KEYS and row[:2] == KEYS[key][:2]]
    return next(((one, lines[one]) for one in same if one in lines), (key, 0))
