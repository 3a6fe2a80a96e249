"""Every spelling of a preset loads; nothing else does."""

from __future__ import annotations

import pytest

from edge.faults import ConfigFault
from edge.gate.policy import preset


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("readonly", "readonly"),
        ("read_only", "readonly"),
        ("Read-Only", "readonly"),
        ("SUPERVISED", "supervised"),
        (" guarded ", "guarded"),
        ("full", "full"),
        ("unrestricted", "full"),
    ],
)
def test_every_spelling_of_a_preset_loads(spelled: str, meant: str) -> None:
    assert preset(spelled) == meant


@pytest.mark.parametrize("spelled", ["", "root", "guarded!", "\uff46ull"])
def test_another_mode_is_a_fault_that_lists_the_modes(spelled: str) -> None:
    with pytest.raises(ConfigFault, match="readonly, supervised, guarded, full"):
        preset(spelled)
