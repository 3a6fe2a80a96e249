"""The permit of a call: what its findings grant, and what stays closed below that. Pure.

Rules:
1. A permit holds exactly what was declared, normalised. What is not in it, no hand touches.
2. A shell text gets, beyond the files it names: to read every root and the readable places. If it provably only reads,
   also what its programs need for that; else to write in every root, and a socket where the network was granted.
3. `barred` stays closed below what is granted: the agent's state and keys, what the operator forbids and, for whatever
   may change something or runs a shell, the settings and the program. A path that is granted by itself is never
   barred: the gate judged it.
4. `wall`: `hands` for a call without a child process, else what the policy wants of the wall.
"""

from __future__ import annotations

from edge.call import Grant, Permit
from edge.gate.paths import READABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Scene
    from edge.gate.judge import Survey
    from edge.gate.policy import Policy


def permit(call: Call, survey: Survey, policy: Policy, scene: Scene, unattended: bool) -> Permit:
    """The permit for a call whose findings are all allowed, or allowed if somebody says yes."""
    grants = [finding.grant for finding in survey.findings if finding.grant.verb != "unknown"]
    wall = "hands"
    if survey.shell:
        grants = [Grant("run", "shell", "sh"), *grants, *_shell(survey, scene)]
        wall = policy.wall(unattended)
    barred = _barred(survey, policy, scene)
    once = tuple(dict.fromkeys(grants)) if len(grants) > 1 else tuple(grants)
    return Permit(call.id, once, barred, policy.seconds, policy.bytes, wall)


def _shell(survey: Survey, scene: Scene) -> list[Grant]:
    """What a shell text gets beyond what it names (rule 2)."""
    found = [Grant("read", root.name, ".", True) for root in scene.roots]
    found += [Grant("read", "system", place[1:], True) for place in READABLE]
    if survey.reads_only:
        found += [need for script in survey.scripts for need in script.needs]
    else:
        found += [Grant("write", root.name, ".", True) for root in scene.roots]
    return found


def _barred(survey: Survey, policy: Policy, scene: Scene) -> tuple[str, ...]:
    kinds = [finding.effect for finding in survey.findings if finding.effect.on.startswith("file:")]
    if not kinds and not survey.shell:
        return ()
    closed = [scene.state] * bool(scene.state) + [*scene.own, *policy.forbidden_paths]
    if survey.shell or any(not effect.observes for effect in kinds):
        closed += scene.settings
    return tuple(dict.fromkeys(closed))
