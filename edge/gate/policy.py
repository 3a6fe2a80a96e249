"""What the operator allows, as a frozen record.

Rules:
1. Nothing a model emits can change a policy, and nothing here reads files: edge.config reads, edge.cli.settle makes it.
2. Lists are tuples; an empty list is empty, nothing is added to it. `only` alone tells none from no list: `None` is no
   list, `()` allows nothing.
3. An unattended run and a caller's own list can only take away: `columns` and `narrowed`.
4. The digest is over all that decides; it is computed when it is asked for, not before the prompt.
"""

from __future__ import annotations

from edge.faults import ConfigFault
from edge.record import Record, as_dict, replace

PRESETS = ("readonly", "supervised", "guarded", "full")
SPELLINGS = {
    "readonly": "readonly",
    "read_only": "readonly",
    "read-only": "readonly",
    "supervised": "supervised",
    "guarded": "guarded",
    "full": "full",
    "unrestricted": "full",
}
SANDBOXES = ("require", "prefer", "off")


class Policy(Record):
    """`calls_per_hour` 0 forbids every call; `seconds` and `bytes` bound one call.

    profile: the name of the risk profile, "" without one. allowed_tools ... auto_approve: canonical names of tools
    (edge/gate/names.py). ask_for: `high`, `ruin`, `disk` or ids of rules that are then asked about. hosts and
    internal_hosts: patterns (edge/gate/hosts.py). programs: shell programs declared harmless. forbidden_paths and
    roots: absolute. unattended: the highest level when nobody is there, "" = that of `preset`. only: the list of who
    started this run, None without one.
    """

    preset: str = "guarded"
    calls_per_hour: int = 120
    seconds: float = 30.0
    bytes: int = 8192
    profile: str = ""
    allowed_tools: tuple[str, ...] = ()
    excluded_tools: tuple[str, ...] = ()
    deny_all_tools: bool = False
    always_ask: tuple[str, ...] = ()
    auto_approve: tuple[str, ...] = ()
    ask_for: tuple[str, ...] = ()
    forbidden_paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    internal_hosts: tuple[str, ...] = ()
    block_internal: bool = True
    programs: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    sandbox: str = "prefer"
    unattended: str = ""
    only: tuple[str, ...] | None = None

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, over a canonical JSON of every field. People are shown its first 16 digits."""
        from edge.compact import encoders
        from edge.sha import sha256

        exact = "".join(encoders()[0](dict(sorted(as_dict(self).items())), 0))
        found: str = sha256()(exact.encode("utf-8", "surrogatepass")).hexdigest()
        return found

    def columns(self, unattended: bool) -> tuple[int, ...]:
        """The columns of the table that count, as indices of PRESETS; the strictest verdict among them decides."""
        own = PRESETS.index(self.preset)
        if unattended and self.unattended and PRESETS.index(self.unattended) < own:
            return own, PRESETS.index(self.unattended)
        return (own,)

    def wall(self, unattended: bool) -> str:
        """What this run wants of the wall around child processes: require, prefer or off.

        `full` with nobody there never goes without: whatever the profile prefers, the wall is required.
        """
        if unattended and PRESETS[self.columns(True)[-1]] == "full":
            return "require"
        return self.sandbox

    def narrowed(self, tools: tuple[str, ...]) -> Policy:
        """This policy for a caller that names its tools itself: only tools in every such list, an empty list none.

        The exception for MCP tools does not apply here: what the list does not name is not there.
        """
        from edge.gate.names import canonical

        told = [canonical(tool) for tool in tools]
        return replace(self, only=tuple(dict.fromkeys(t for t in told if self.only is None or t in self.only)))


class State(Record):
    """What the gate must know of the moment.

    durable: the tape keeps. simulated: the board is. tainted: where untrusted words came from, "" when none were
    heard. unattended: nobody is there to be asked. stopped: what the operator's stop forbids, words of `all`,
    `network`, `tool:NAME`. channel: who speaks, `cli` is the operator's own. granted: the operator's grant that
    fits this call, "" when none does.
    """

    durable: bool = True
    simulated: bool = True
    calls_last_hour: int = 0
    tainted: str = ""
    unattended: bool = False
    stopped: str = ""
    channel: str = "cli"
    granted: str = ""


def preset(name: str) -> str:
    """The preset meant by `name` in any of its spellings; ConfigFault when there is none."""
    found = SPELLINGS.get(name.strip().lower())
    if found is None:
        raise ConfigFault(f"there is no mode {name[:40]!r}", f"modes: {', '.join(PRESETS)}", key="mode")
    return found
