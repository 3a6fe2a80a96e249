from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

from edge.card.locks import lock


def test_a_lock_is_waited_for_as_long_as_it_was_said(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "l", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert lock(first, 0.0)
    assert not lock(second, 0.0) and not lock(second, 0.2, shared=True)
    threading.Timer(0.2, fcntl.flock, (first, fcntl.LOCK_UN)).start()
    assert lock(second, 60.0, shared=True)
    assert lock(first, 0.0, shared=True)
    os.close(first)
    os.close(second)
