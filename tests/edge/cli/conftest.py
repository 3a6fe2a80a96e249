from __future__ import annotations

import pytest

from edge import cli


@pytest.fixture(autouse=True)
def no_printer_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process has one stderr for life, and what writes it is made once; a test has one of its own.

    What a test before this one made writes to a descriptor that was that test's, in a thread, some time later.
    """
    monkeypatch.setattr(cli, "_printer", None)
