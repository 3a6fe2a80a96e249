"""A risk profile: what `[risk_profiles.NAME]` says, and what in it cannot be meant.

Rules:
1. A profile without a level is `supervised`; a run without a profile is `guarded`.
2. `allowed_tools` left out and empty are the same: no constraint. Everything but MCP tools is outside a list that is
   not empty. To refuse everything there is `deny_all_tools`.
3. `excluded_tools` holds for every channel but the command line, and for delegates; so a tool may stand in both lists.
4. `auto_approve` is what it says: an empty list approves nothing, and nothing is added to it.
5. `ask_for` names what is asked about where the level would refuse it: `high` and `ruin` (known destructive) in
   `supervised`, `disk` (raw disks, flash, firmware of boards) in `full`, or single rules by their id.
6. What contradicts itself is a fault; what changes nothing, or less than it seems to, is a warning.
"""

from __future__ import annotations

from edge.faults import ConfigFault
from edge.gate.paths import inside
from edge.gate.policy import PRESETS
from edge.record import Record

GROUPS = ("high", "ruin", "disk")


class Profile(Record):
    """The fields are those of Policy, with `level` for its preset. `budgets`: (field of Budgets, value).

    `said`: which key stands where, (key, `file:line`).
    """

    name: str
    level: str = "supervised"
    allowed_tools: tuple[str, ...] = ()
    excluded_tools: tuple[str, ...] = ()
    deny_all_tools: bool = False
    always_ask: tuple[str, ...] = ()
    auto_approve: tuple[str, ...] = ()
    ask_for: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    forbidden_paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    internal_hosts: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    sandbox: str = "prefer"
    unattended: str = ""
    budgets: tuple[tuple[str, float], ...] = ()
    said: tuple[tuple[str, str], ...] = ()

    def where(self, key: str) -> str:
        """`file:line` of a key, "" when the profile does not say it."""
        return dict(self.said).get(key, "")


def contradiction(profile: Profile) -> tuple[str, ConfigFault] | None:
    """The key that cannot be meant and the fault that says why; None when all can."""
    both = [tool for tool in profile.always_ask if tool in profile.auto_approve]
    if profile.deny_all_tools and profile.allowed_tools:
        sentence = f"deny_all_tools refuses every tool, and allowed_tools names {profile.allowed_tools[0]}"
        return "deny_all_tools", ConfigFault(sentence, "keep one of them")
    if both:
        sentence = f"{both[0]} is to be asked about always and never: always_ask and auto_approve name it"
        return "auto_approve", ConfigFault(sentence, "keep it in one of them")
    if profile.sandbox == "off" and profile.level == "full" and profile.unattended == "full":
        sentence = "sandbox is off, and level full with nobody there needs it"
        return "sandbox", ConfigFault(sentence, "write sandbox = 'require', or a lower unattended")
    for root in profile.roots:
        closed = next((path for path in profile.forbidden_paths if inside(root, path)), "")
        if closed:
            sentence = f"forbidden_paths closes {closed}, and roots opens {root} in it"
            return "forbidden_paths", ConfigFault(sentence, "keep one of them")
    return None


def _asking(name: str) -> list[str]:
    """The levels in which `ask_for` has something asked about that would be refused."""
    from edge.gate.rules import RULES

    rows = [row for row in RULES.values() if name in (row.id, row.group)]
    return [level for at, level in enumerate(PRESETS) if any(row.verdicts[at] == "named" for row in rows)]


def warnings(profile: Profile) -> tuple[str, ...]:
    """Sentences on what changes nothing, or less than it seems to."""
    found = []
    level = PRESETS.index(profile.level)
    if profile.where("allowed_tools") and not profile.allowed_tools:
        found.append("allowed_tools = [] is no constraint, every tool is there; deny_all_tools = true refuses all")
    both = [tool for tool in profile.allowed_tools if tool in profile.excluded_tools]
    if both:
        found.append(f"{both[0]} is in allowed_tools and in excluded_tools: it is there at the command line only")
    if profile.unattended and PRESETS.index(profile.unattended) > level:
        found.append(f"unattended = {profile.unattended!r} changes nothing: it can only lower level {profile.level!r}")
    for name in profile.ask_for:
        levels = _asking(name)
        if profile.level not in levels:
            found.append(f"ask_for {name!r} changes nothing in level {profile.level!r}: it is for {', '.join(levels)}")
    return tuple([f"risk profile {profile.name}: {sentence}" for sentence in found])
