from __future__ import annotations

from pathlib import Path

import pytest

from edge.card.first import First
from edge.faults import CardFault


def test_a_board_that_runs_from_no_card_of_ours_says_so(tmp_path: Path) -> None:
    if "fieldhand.slot=" in Path("/proc/cmdline").read_text():
        pytest.skip("this board runs from such a card")
    with pytest.raises(CardFault, match="no card of ours"), First(str(tmp_path)):
        pass
