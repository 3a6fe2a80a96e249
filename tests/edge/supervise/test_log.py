from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from edge.supervise import log


@pytest.fixture
def reader(tmp_path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(str(tmp_path / "log"))
    made.settimeout(60)
    return made


def test_each_write_is_a_message(reader: socket.socket, tmp_path: Path) -> None:
    assert log.tell(str(tmp_path / "log"), b"wrong")
    out = log.output(str(tmp_path / "log"))
    assert out is not None
    os.write(out.fileno(), b"line\n")
    assert [reader.recv(100), reader.recv(100)] == [b"<27>wrong", b"line\n"]
    out.close()
    reader.close()


def test_a_log_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    assert not log.tell(str(tmp_path / "none"), b"wrong")
    assert log.output(str(tmp_path / "none")) is None


def test_a_log_that_nobody_reads_ends_in_a_fault_and_not_in_a_wait(reader: socket.socket, tmp_path: Path) -> None:
    out = log.output(str(tmp_path / "log"))
    assert out is not None
    with pytest.raises(BlockingIOError) as told:
        while True:
            os.write(out.fileno(), b"line\n")
    assert told.value.errno == errno.EAGAIN and os.get_blocking(out.fileno())
    assert not log.tell(str(tmp_path / "log"), b"lost")
    out.close()
    reader.close()
