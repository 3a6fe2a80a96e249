"""The approvals socket with real processes: who may answer, what is refused, and that nothing holds up the loop."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from edge.approvals import ask, server
from edge.approvals.ask import answer, questions, replies
from edge.approvals.desk import Socket
from edge.approvals.peers import ancestors, refusal
from edge.cli import approvals
from edge.cli.args import Options
from tests.support import agent
from tests.support.answering import answer_first, elsewhere, question, wait_for, waiting
from tests.support.boards import eventually

# An agent of its own: asks, prints every answer as a JSON line, asks again.
ASKING = """
import json, sys, time
from edge.approvals.desk import Socket
from tests.support.answering import question
approver = Socket(sys.argv[1])
while True:
    approver.at_once(question(float(sys.argv[2])))
    answer = None
    while answer is None:
        answer = approver.poll(0.1)
    print(json.dumps([answer.yes, answer.by, answer.text]), flush=True)
"""


class Asking:
    """A process that asks, beside this one: what descends from here may answer it."""

    def __init__(self, state, seconds=60.0):
        self.state = str(state)
        words = [sys.executable, "-c", ASKING, self.state, str(seconds)]
        self.process = subprocess.Popen(words, cwd=agent.ROOT, stdout=subprocess.PIPE, text=True)

    def waits(self):
        """The row of the question that waits now."""
        return eventually(lambda: questions(self.state)[0])[0]

    def heard(self):
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def cli(state, *words):
    return agent.run("approvals", *words, "--state", str(state))


def test_a_question_is_listed_whole_and_answered_once(tmp_path):
    with Asking(tmp_path) as asking:
        name = asking.waits()["id"]
        shown = cli(tmp_path, "list")
        assert shown.returncode == 0
        head, *rest = shown.stdout.splitlines()
        assert head.startswith(f"{name}: ") and "tape 20260102-030405-abcd" in head
        assert f"process {asking.process.pid}" in head
        assert rest[0] == "? switch exhaust fan, relay 1 (fan, sim relay 1) on for 2 min"
        assert "medium risk [output.medium]" in shown.stdout
        done = cli(tmp_path, "approve", name.upper())
        assert (done.returncode, done.stdout) == (0, f"{name} was allowed\n"), done.stderr
        assert asking.heard() == [True, f"operator by approvals, uid {os.getuid()}", ""]
        again = cli(tmp_path, "approve", name)
        assert again.returncode == 1 and f"{name} is over: allowed by" in again.stderr
        other = asking.waits()["id"]
        assert other != name
        assert cli(tmp_path, "deny", other, "it", "rains").stdout == f"{other} was answered with other words\n"
        assert asking.heard()[::2] == [False, "it rains"]
        assert cli(tmp_path, "deny", asking.waits()["id"]).returncode == 0
        assert asking.heard()[::2] == [False, ""]


def test_without_questions_it_says_so(tmp_path):
    for _ in range(2):
        told = cli(tmp_path, "list")
        assert (told.returncode, told.stdout) == (0, "no questions\n")
        (tmp_path / server.FOLDER).mkdir(0o700, exist_ok=True)
    assert cli(tmp_path, "list", "--json").stdout.strip() == "[]"
    done = cli(tmp_path, "approve", "abcdef")
    assert done.returncode == 1 and "no question is called abcdef" in done.stderr


@pytest.mark.parametrize("words", [("approve",), ("approve", "a", "b"), ("allow", "x"), ("list", "x"), ("deny",)])
def test_what_it_does_not_know_is_usage(tmp_path, words):
    assert cli(tmp_path, *words).returncode == 2


def test_an_expired_question_is_a_sentence_and_exit_1(tmp_path):
    with Asking(tmp_path, 1.5) as asking:
        name = asking.waits()["id"]
        assert asking.heard()[1] == "nobody"
        done = cli(tmp_path, "approve", name)
        assert done.returncode == 1 and f"{name} is over: nobody answered within" in done.stderr


def test_several_agents_are_asked_and_each_gets_its_own_answer(tmp_path):
    with Asking(tmp_path) as one, Asking(tmp_path) as two:
        rows = eventually(lambda: len(found := questions(str(tmp_path))[0]) == 2 and found)
        by_pid = {row["pid"]: row["id"] for row in rows}
        assert cli(tmp_path, "approve", by_pid[two.process.pid]).returncode == 0
        assert two.heard()[0] is True
        assert cli(tmp_path, "deny", by_pid[one.process.pid]).returncode == 0
        assert one.heard()[0] is False


def test_a_killed_agent_leaves_no_question_and_its_socket_goes_with_the_next(tmp_path):
    with Asking(tmp_path) as asking:
        name = asking.waits()["id"]
    assert cli(tmp_path, "list").stdout == "no questions\n"
    done = cli(tmp_path, "approve", name)
    assert done.returncode == 1 and "no question is called" in done.stderr
    assert len(os.listdir(tmp_path / server.FOLDER)) == 1
    with Asking(tmp_path) as asking:
        assert asking.waits()["id"] != name
        assert len(os.listdir(tmp_path / server.FOLDER)) == 1


def test_a_frozen_agent_takes_no_answer_when_it_wakes(tmp_path, monkeypatch):
    import signal

    monkeypatch.setattr(ask, "SECONDS", 1.0)
    with Asking(tmp_path) as asking:
        name = asking.waits()["id"]
        asking.process.send_signal(signal.SIGSTOP)
        assert "did not answer" in answer(str(tmp_path), {"do": "approve", "id": name})
        asking.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        assert asking.waits()["id"]


# Who may answer


def test_what_the_agent_started_may_not_answer(tmp_path):
    """This process asks, so all that it starts is a tool's child to the socket."""
    approver = Socket(str(tmp_path))
    approver.at_once(question())
    try:
        (row,) = eventually(lambda: waiting(tmp_path))
        for words in (("list",), ("approve", row["id"]), ("deny", row["id"])):
            done = cli(tmp_path, *words)
            assert done.returncode == 1
            assert "was started by the agent itself" in done.stderr
        nested = subprocess.run(
            ["sh", "-c", 'sh -c \'"$@"\' sh "$@"', "sh", *agent.command("approvals", "approve", row["id"])],
            cwd=agent.ROOT,
            env=agent.environment(None, STATE_DIRECTORY=str(tmp_path)),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert nested.returncode == 1 and "was started by the agent itself" in nested.stderr
        assert approver.poll(0.0) is None
        assert elsewhere("list", "--state", str(tmp_path)).returncode == 0
    finally:
        approver.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone becomes another user")
def test_another_user_may_not_answer_although_the_doors_stand_open():
    """The folder's mode keeps others out; with that taken away, the socket looks at who it is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as state, Asking(state) as asking:
        name = asking.waits()["id"]
        folder = Path(state, server.FOLDER)
        os.chmod(state, 0o711)
        code = (
            "import json, os, socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            "s.sendall(json.dumps({'do': 'approve', 'id': sys.argv[2]}).encode() + b'\\n');"
            "print(s.recv(4096).decode())"
        )
        (sock,) = folder.iterdir()
        words = ["/usr/bin/python3", "-I", "-c", code, str(sock), name]
        shut = subprocess.run(words, user=65534, group=65534, capture_output=True, text=True, timeout=60)
        assert shut.returncode == 1 and "PermissionError" in shut.stderr
        folder.chmod(0o711)
        sock.chmod(0o666)
        open_ = subprocess.run(words, user=65534, group=65534, capture_output=True, text=True, timeout=60)
        assert "uid 65534 is not the operator" in open_.stdout, open_.stderr
        assert asking.waits()["id"] == name


def test_who_is_refused():
    own = os.getpid()
    assert refusal(own, os.geteuid(), 1 << 22) == ""
    assert refusal(own, 0, 1 << 22) == ""
    assert "uid 4321" in refusal(own, 4321, 1 << 22)
    assert "started by the agent itself" in refusal(own, os.geteuid(), own)
    assert "started by the agent itself" in refusal(own, os.geteuid(), os.getppid())
    assert "name space" in refusal(0, os.geteuid(), own)
    assert "has ended" in refusal((1 << 22) + 1, os.geteuid(), own)
    assert ancestors(own)[:2] == [own, os.getppid()]


# The doors


def test_the_folder_and_the_socket_are_for_this_user_alone(tmp_path):
    approver = Socket(str(tmp_path))
    before = os.umask(0)
    try:
        approver.at_once(question())
        folder = tmp_path / server.FOLDER
        (sock,) = folder.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert sock.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
        approver.close()
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_may_use_is_nobody(tmp_path):
    (tmp_path / server.FOLDER).mkdir(0o755)
    (tmp_path / server.FOLDER).chmod(0o755)
    found = Socket(str(tmp_path)).at_once(question())
    assert (found.yes, found.by) == (False, "nobody")
    assert "the approvals socket cannot be made: the folder" in found.sentence
    assert list((tmp_path / server.FOLDER).iterdir()) == []


def test_a_state_folder_that_is_gone_or_absent_is_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    for state in ("", str(tmp_path / "file")):
        assert Socket(state).at_once(question()).by == "nobody"


def test_a_path_too_long_for_a_socket_address_works(tmp_path):
    state = tmp_path / ("d" * 120) / ("e" * 120)
    state.mkdir(parents=True)
    approver = Socket(str(state))
    approver.at_once(question())
    try:
        done = []
        import threading

        thread = threading.Thread(target=lambda: done.append(answer_first(state, True)))
        thread.start()
        assert wait_for(approver).yes
        thread.join(60)
        assert done[0].returncode == 0
    finally:
        approver.close()


# What comes over it


def connect(state):
    folder = os.path.join(state, server.FOLDER)
    (name,) = os.listdir(folder)
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(60)
    peer.connect(os.path.join(folder, name))
    return peer


DAMAGED = [
    b"\n",
    b"{}\n",
    b"null\n",
    b"[]\n",
    b'{"do":"allow"}\n',
    b'{"do":"approve"}\n',
    b'{"do":"approve","id":5}\n',
    b'{"do":"deny","id":"x","text":5}\n',
    b"\xff\n",
    b"[" * 50_000 + b"\n",
    b"x" * 70_000 + b"\n",
    b'{"do":"approve"',
]


def test_damaged_requests_are_answered_and_nothing_is_allowed(tmp_path):
    with Asking(tmp_path) as asking:
        name = asking.waits()["id"]
        for data in DAMAGED:
            with connect(tmp_path) as peer:
                try:
                    peer.sendall(data)
                    peer.shutdown(socket.SHUT_WR)
                    reply = json.loads(peer.recv(65536))
                except ConnectionError:
                    continue  # it had heard enough
                assert reply["ok"] is False
        assert asking.waits()["id"] == name


def test_a_client_that_says_nothing_holds_up_others_for_a_moment_only(tmp_path):
    with Asking(tmp_path) as asking:
        asking.waits()
        silent = connect(tmp_path)
        began = time.monotonic()
        rows, troubles = questions(str(tmp_path))
        assert len(rows) == 1 and troubles == []
        assert time.monotonic() - began < server.SECONDS + 30
        silent.close()


def test_a_client_that_goes_away_before_the_reply_ends_nothing(tmp_path):
    with Asking(tmp_path) as asking:
        name = asking.waits()["id"]
        for _ in range(20):
            peer = connect(tmp_path)
            peer.sendall(b'{"do":"list"}\n')
            peer.close()
        assert asking.waits()["id"] == name


def test_the_loop_is_not_held_up_by_clients(tmp_path):
    """Clients that talk slowly: the approver's own waiting stays a tick."""
    approver = Socket(str(tmp_path))
    approver.at_once(question())
    peers = [connect(tmp_path) for _ in range(5)]
    try:
        took = []
        for _ in range(20):
            began = time.monotonic()
            assert approver.poll(0.05) is None
            took.append(time.monotonic() - began)
        assert sorted(took)[10] < server.SECONDS, took
    finally:
        for peer in peers:
            peer.close()
        approver.close()


def test_a_whole_question_of_a_megabyte_comes_over(tmp_path):
    words = "w" * 1_000_000
    code = ASKING.replace("question(float(sys.argv[2]))", f"question(60.0, words='w' * {len(words)})")
    command = [sys.executable, "-c", code, str(tmp_path), "60"]
    process = subprocess.Popen(command, cwd=agent.ROOT, stdout=subprocess.PIPE)
    try:
        (row,) = eventually(lambda: questions(str(tmp_path))[0])
        assert row["words"] == words
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_what_is_no_socket_in_the_folder_is_told_or_passed_over(tmp_path):
    folder = tmp_path / server.FOLDER
    folder.mkdir(0o700)
    (folder / "1-abcd.sock").write_text("")
    (folder / "notes.txt").write_text("")
    assert questions(str(tmp_path)) == ([], [])
    assert "no question is called x" in answer(str(tmp_path), {"do": "approve", "id": "x"})
    assert list(replies(str(tmp_path / "absent"), {"do": "list"})) == []


ENDING = """
import sys
from edge.approvals.desk import Socket
from tests.support.answering import question, wait_for
approver = Socket(sys.argv[1])
approver.at_once(question(60.0))
wait_for(approver, 120.0)
approver.close()
"""


def test_whose_answer_ends_the_agent_hears_that_it_counted(tmp_path):
    for number in range(10):
        state = tmp_path / str(number)
        state.mkdir(0o700)
        process = subprocess.Popen([sys.executable, "-c", ENDING, str(state)], cwd=agent.ROOT)
        (row,) = eventually(lambda state=state: questions(str(state))[0])
        assert answer(str(state), {"do": "approve", "id": row["id"]}) == ""
        assert process.wait(60) == 0
        assert os.listdir(state / server.FOLDER) == []


def test_an_agent_that_does_not_answer_is_not_taken_for_one_that_asks_nothing(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(ask, "SECONDS", 0.5)
    (tmp_path / "approvals").mkdir(0o700)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "approvals" / f"{os.getpid()}-dead.sock"))
        silent.listen()
        code = approvals.main(Options(words=("list",), state=str(tmp_path)))
    told = capfd.readouterr()
    assert (code, told.out) == (1, "")
    assert "told nothing: it did not answer" in told.err


def test_an_id_may_stand_between_blanks_and_cannot_be_empty(tmp_path):
    assert cli(tmp_path, "approve", "").returncode == cli(tmp_path, "deny", " ", "words").returncode == 2
    told = cli(tmp_path, "approve", " ZZZZZZ ")
    assert told.returncode == 1 and "no question is called zzzzzz:" in told.stderr


def test_an_answer_without_an_id_is_told_what_is_missing(tmp_path):
    for do in ("approve", "deny"):
        done = cli(tmp_path, do)
        assert done.returncode == 2 and f"approvals {do} needs the id of a question" in done.stderr
