"""A card that several test files read: made once, never changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import small_cards


@pytest.fixture(scope="session")
def small_card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole card image with its parts in card.parts beside it. For reading only."""
    return small_cards.make(tmp_path_factory.mktemp("card") / "card.img")
