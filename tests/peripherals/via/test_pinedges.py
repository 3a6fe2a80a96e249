"""The thread that waits for edges: who is told, who is not any more, its end, its successor after a fault."""

from __future__ import annotations

import os
import threading

import pytest

from edge.peripherals.via.pinedges import Watcher
from tests.support.boards import eventually


class Pipe:
    """A descriptor that becomes ready; `told` collects what came."""

    def __init__(self):
        self.reads, self.writes = os.pipe()
        self.told = []
        self.fault = None

    def ready(self):
        came = os.read(self.reads, 100)
        return [lambda letter=letter: self.tell(letter) for letter in came.decode()]

    def tell(self, letter):
        self.told.append(letter)
        if letter == "x":
            raise KeyError(letter)

    def write(self, text):
        os.write(self.writes, text.encode())

    def close(self):
        os.close(self.reads)
        os.close(self.writes)


@pytest.fixture
def watcher():
    made = Watcher()
    yield made
    made.close()
    eventually(lambda: not waiting())


@pytest.fixture
def pipe():
    made = Pipe()
    yield made
    made.close()


def waiting():
    return [thread for thread in threading.enumerate() if thread.name == "fieldhand-edges"]


def test_what_comes_is_told_in_order_by_one_thread(watcher, pipe) -> None:
    other = Pipe()
    assert not waiting()
    watcher.add(pipe.reads, pipe.ready)
    watcher.add(other.reads, other.ready)
    watcher.add(pipe.reads, pipe.ready)
    pipe.write("abc")
    other.write("d")
    eventually(lambda: (pipe.told, other.told) == (["a", "b", "c"], ["d"]))
    assert len(waiting()) == 1
    watcher.remove(other.reads)
    other.close()


def test_what_was_removed_is_not_read(watcher, pipe) -> None:
    watcher.add(pipe.reads, pipe.ready)
    watcher.remove(pipe.reads)
    watcher.remove(pipe.reads)
    pipe.write("a")
    other = Pipe()
    watcher.add(other.reads, other.ready)
    other.write("b")
    eventually(lambda: other.told == ["b"])
    assert pipe.told == []
    watcher.remove(other.reads)
    other.close()


def test_a_fault_is_reported_and_a_successor_tells_the_rest(watcher, pipe, monkeypatch) -> None:
    reports = []
    monkeypatch.setattr(threading, "excepthook", lambda report: reports.append(report.exc_type))
    watcher.add(pipe.reads, pipe.ready)
    pipe.write("axbxc")
    eventually(lambda: pipe.told == ["a", "x", "b", "x", "c"])
    eventually(lambda: reports == [KeyError, KeyError])
    eventually(lambda: len(waiting()) == 1)


def test_it_ends_and_can_begin_again(pipe) -> None:
    watcher = Watcher()
    watcher.close()
    watcher.add(pipe.reads, pipe.ready)
    watcher.close()
    watcher.close()
    eventually(lambda: not waiting())
    watcher.add(pipe.reads, pipe.ready)
    pipe.write("a")
    eventually(lambda: pipe.told == ["a"])
    watcher.close()
    eventually(lambda: not waiting())


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_child_of_a_fork_takes_no_edge_from_its_parent_and_may_begin_anew(watcher, pipe) -> None:
    watcher.add(pipe.reads, pipe.ready)
    child = os.fork()
    if not child:
        code = 1
        try:
            watcher.remove(pipe.reads)
            watcher.close()
            own = Pipe()
            watcher.add(own.reads, own.ready)
            own.write("c")
            eventually(lambda: own.told == ["c"])
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    pipe.write("p")
    eventually(lambda: pipe.told == ["p"])
