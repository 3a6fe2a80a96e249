"""What goes wrong around an agent changes nothing of its pump's end: a full card, a dead tape, no approval, a stop.

Each is tried on a service, on a guard of the agent's own and on the simulated board, twice beside each other: where the
agent lives on the pump is off when its lease ends, where it is killed at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import time

import pytest

from edge.faults import HardwareFault
from edge.peripherals.guard import door
from tests.support.boards import eventually
from tests.support.file_calls import small_disk
from tests.support.guard_bench import Own, Service, Simulated, Tally, Watch
from tests.support.supervisor import why_not

LEASE = 4  # seconds: time enough for the trouble to come
PAGE = 4096  # bytes in which a tmpfs has room or not
KINDS = [*([] if why_not() else [Service]), Own, Simulated]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Two benches of each kind, each with a card of its own where one can be mounted."""
    with contextlib.ExitStack() as stack:
        found = []
        for kind in KINDS:
            folders = [tmp_path_factory.mktemp(kind.__name__.lower()) / "b" for _ in range(2)]
            for folder in folders:
                (folder / "state").mkdir(parents=True)
                if os.geteuid() == 0:
                    stack.enter_context(small_disk(folder / "state", "1m"))
                    (folder / "state").chmod(0o700)
            found.append([stack.enter_context(kind(folder, active_low=True)) for folder in folders])
        yield found


def off_in_time(bench, what, do):
    """The pump is off when `do` says, after it did something. The bounds are those of a kill without any trouble."""
    tally, watch = Tally(f"{what}, {bench.kind}"), Watch()
    with watch:
        due = do()
        tally.add(bench.off() - due)
    judged = tally.judged(watch)
    print(judged)
    assert judged.good == 1, str(judged)


def both_ends(pairs, trouble, said="--yes", on=lambda bench, agent: None):
    """All switch on; trouble comes; then one of each pair is killed, and the other one's time runs out."""
    lasting, killed = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    agents = {bench: bench.switching(LEASE if bench in lasting else 0, said) for bench in [*killed, *lasting]}
    for bench, agent in agents.items():
        on(bench, agent)
        bench.until_on(agent)
    began = {bench: bench.began() for bench in lasting}
    for bench, agent in agents.items():
        trouble(bench, agent)
    for bench in killed:
        off_in_time(bench, "killed", agents[bench].kill)
    for bench in lasting:
        off_in_time(bench, "the end of the lease", lambda bench=bench: began[bench] + LEASE)
    for agent in agents.values():
        agent.end()


def fill(bench, _agent):
    """Nothing more can be written in the state folder, not even in what is left of the record's last page."""
    record = bench.state / "guard/board.jsonl"
    if record.exists():
        with open(record, "ab") as file:
            file.write(b"\n" * (-record.stat().st_size % PAGE))
    number = 0
    with contextlib.suppress(OSError):
        while True:
            number += 1
            with open(bench.state / f"filler-{number}", "wb", buffering=0) as file:
                assert file.write(b"x" * PAGE) == PAGE
    with pytest.raises(OSError, match="space"), open(bench.state / "more", "wb", buffering=0) as file:
        file.write(b"x")


@pytest.fixture
def room(pairs):
    """Afterwards the cards have room again."""
    yield
    for bench in [bench for pair in pairs for bench in pair]:
        for path in [*bench.state.glob("filler-*"), *bench.state.glob("more")]:
            path.unlink()


needs_mount = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small card")


@pytest.mark.soak
@needs_mount
def test_a_full_card(pairs, room):
    both_ends(pairs, fill)
    for bench in [bench for pair in pairs for bench in pair if isinstance(bench, Service)]:
        assert any("cannot be written" in note for note in door.ask(bench.socket, {"do": "show"})["notes"])


@pytest.mark.soak
@needs_mount
def test_a_guard_that_was_killed_over_a_full_card_is_back_in_time(pairs, room):
    bench = pairs[0][0]
    if not isinstance(bench, Service):
        pytest.skip(why_not())
    board = bench.join()
    board.set("pump", True, 60.0, "c1")
    fill(bench, None)
    guard = bench.guard()
    killed = time.monotonic()
    os.kill(guard, signal.SIGKILL)
    assert bench.off() - killed <= 2.0
    bench.up()
    with pytest.raises(HardwareFault, match="unknown until they are read back"):
        board.states()
    assert board.states()["pump"]["state"] is False
    assert board.set("pump", True, 60.0, "c2")["state"] is True
    board.close()
    bench.off()


@pytest.mark.soak
def test_a_tape_that_takes_nothing_more(pairs):
    """No file of the agent may grow from now on: its tape fails with what it tries to keep next."""

    def dead(bench, agent):
        resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (0, 0))
        shutil.rmtree(bench.state / "tapes")

    both_ends(pairs, dead)


@pytest.mark.soak
def test_an_approval_that_is_taken_back(pairs):
    def approved(bench, agent):
        rows = eventually(lambda: json.loads(bench.fieldhand("approvals", "list", "--json").stdout or "[]"))
        taken = bench.fieldhand("approvals", "approve", rows[0]["id"])
        assert taken.returncode == 0, taken.stderr
        asked[bench] = rows[0]["id"]

    def revoked(bench, agent):
        assert bench.fieldhand("approvals", "deny", asked[bench], "no", "more").returncode == 1
        for path in bench.state.glob("approvals*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    asked = {}
    both_ends(pairs, revoked, "--ask", approved)


@pytest.mark.soak
def test_a_stop_while_the_agent_stands_still(pairs):
    """The guard looks for the stop itself: it does not need an agent that hears."""
    for pair in pairs:
        bench = pair[0]
        agent = bench.switched()
        agent.process.send_signal(signal.SIGSTOP)
        done = bench.fieldhand("stop")
        assert not bench.on(), done.stdout + done.stderr
        assert bench.why() in ("emergency stop", "heartbeat late")
        agent.end()
        assert not bench.on()
        assert bench.fieldhand("resume").returncode == 0
