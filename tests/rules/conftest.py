"""What these tests read of all files is let go behind the last of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.sources import forget


@pytest.fixture(scope="package", autouse=True)
def forgotten() -> Iterator[None]:
    yield
    forget()
