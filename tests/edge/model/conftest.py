"""Every model that a test made is closed behind it, and one that complains when it is collected fails its test."""

from __future__ import annotations

import pytest

from tests.support.asking import close_chats

COMPLAINTS = ("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/edge/model/" in item.nodeid:
            for warning in COMPLAINTS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(autouse=True)
def closed():
    yield
    close_chats()
