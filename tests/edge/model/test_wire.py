"""A server that misbehaves: the right fault or reply, a sentence with the endpoint, within the deadline."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

from edge.faults import BudgetFault, Fault, ModelFault
from edge.model.retry import LONGEST
from tests.support.asking import Asked, Timed, chat, late, moment, request, soon
from tests.support.boards import eventually
from tests.support.chatserver import ChatServer, call, completion

OK = json.dumps(completion({"reply": "33 C"}))
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
PLENTY = 20.0  # seconds, where the deadline is not what is tried


def raw(text, **how):
    return {"wire": text, **how}


def ask(acts, seconds=PLENTY, **settings):
    """The reply to one request to a server with these acts."""
    with ChatServer(acts) as server:
        model = chat(server, **{"retries": 0, **settings})
        try:
            return model.ask(request(settings.get("mode", "native"), seconds))
        finally:
            model.close()


def fails(acts, seconds=PLENTY, kind=ModelFault, **settings):
    """The sentence that one request ends with: it names the endpoint, and it came in time."""
    with Timed() as t, pytest.raises(Fault) as caught:
        ask(acts, seconds, **settings)
    assert type(caught.value) is kind, caught.value
    assert t.seconds < seconds + late(t.begun)
    sentence = str(caught.value)
    assert "127.0.0.1:" in sentence
    assert "/v1/chat/completions" in sentence
    assert "\n" not in sentence
    return sentence


# --- too slow ---


@pytest.mark.parametrize(
    "act",
    [
        raw(HEAD + "X: " + "y" * 1000, drip=0.02),
        raw(f"{HEAD}Content-Length: 1000\r\n\r\n" + " " * 1000, drip=0.02, piece=8),
        raw(EVENTS + "4\r\n: a\n\r\n" * 500, drip=0.02),
        raw(HEAD + "Transfer-Encoding: chunked\r\n\r\n" + "1\r\n \r\n" * 500, drip=0.02),
        raw("", hang=True),
        raw("HTTP/1.1 2", hang=True),
        raw(EVENTS, hang=True),
        {"reply": "late", "delay": 3},
        {"status": 500, "body": "x" * 500, "drip": 0.02},
    ],
    ids=["head", "body", "events", "chunks", "nothing", "status line", "no event", "late", "error page"],
)
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_whatever_drips_or_hangs_ends_at_the_deadline(act, stream):
    sentence = fails([act], seconds=0.5, kind=BudgetFault, stream=stream)
    assert "within 0.5 s" in sentence
    silent = act in (raw("", hang=True), {"reply": "late", "delay": 3})
    if not silent and "before any reply" in sentence:  # a busy machine may take longer than that for a first byte
        sentence = fails([act], seconds=10.0, kind=BudgetFault, stream=stream)
    assert ("before any reply" in sentence) == silent


def test_a_request_that_nobody_reads_ends_at_the_deadline_and_by_a_cut():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        class At:
            base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"

        model = chat(At)
        hasty, patient = request(seconds=0.5), request(seconds=20.0)
        hasty.context.user("x" * 12_000_000, 0.0)
        patient.context.user("x" * 12_000_000, 0.0)
        with Timed() as t, pytest.raises(BudgetFault):
            model.ask(hasty)
        assert t.seconds < 0.5 + late(t.begun)
        asked = Asked(model, patient)
        time.sleep(0.3)
        begun = moment()
        model.cut()
        asked.join(60)
        assert "cut off" in str(asked.end)
        assert asked.ended - begun < soon(begun)


# --- cut off ---


def test_cut_anywhere_it_is_a_fault_or_the_whole_reply():
    for stream in (True, False):
        act = {"reply": call("sensor_read", {"name": "temperature"}), "deltas": 30}
        whole = ask([act], stream=stream).raw
        size = 200
        for cut in (*range(0, 260, 13), 400, 700, 900, 1100, 1200):
            try:
                got = ask([{**act, "cut": cut}], stream=stream)
            except ModelFault as fault:
                assert "/v1/chat/completions" in str(fault), fault
                assert "broke off" in str(fault) or "in the middle" in str(fault), fault
                size = max(size, cut)
            else:
                assert got.raw == whole
                assert cut >= size


def test_it_says_how_far_the_reply_came():
    assert "broke off before any reply" in fails([raw("", close=True)])
    assert "broke off after 9 bytes of the reply" in fails([raw(HEAD, cut=9)])
    assert "broke off after 90 bytes" in fails([{"reply": "x" * 99, "cut": 90}], stream=False)
    assert "broke off" in fails([{"reply": "x" * 99, "cut": 120, "reset": True}], stream=False)


def test_a_stream_that_ends_in_the_middle_of_a_reply():
    body = 'data: {"choices":[{"delta":{"content":"33"}}]}\n\n'
    chunk = f"{len(body):x}\r\n{body}\r\n"
    assert "ended the stream in the middle of a reply, after" in fails([raw(f"{EVENTS}{chunk}0\r\n\r\n")])
    closing = EVENTS.replace("Transfer-Encoding: chunked", "Connection: close")
    assert "ended the stream in the middle" in fails([raw(closing + body, close=True)])
    assert "broke off after" in fails([raw(EVENTS + chunk + "ff\r\nabc", close=True)])


def test_the_text_that_was_heard_before_the_cut_was_heard():
    heard = []
    with ChatServer([{"reply": "one two three", "cut": 600}]) as server:
        with pytest.raises(ModelFault):
            chat(server).ask(request(heard=heard))
        assert heard
        assert "one two three".startswith("".join(heard))
        assert len(server.requests) == 1


# --- lengths and chunks ---


def test_a_length_that_is_too_long():
    assert "broke off after" in fails([{"reply": "33 C", "length": 7, "close": True}], stream=False)


def test_a_length_that_is_too_short_is_no_completion_and_spoils_nothing():
    acts = [{"reply": "33 C", "length": -7}, {"reply": "34 C"}]
    with ChatServer(acts) as server:
        model = chat(server, stream=False, retries=0)
        with pytest.raises(ModelFault, match="gave no chat completion"):
            model.ask(request())
        assert model.ask(request()).raw["content"] == "34 C"
        assert server.connections == 2
        model.close()


def test_bytes_behind_a_reply_do_not_become_the_next_one():
    first = f"{HEAD}Content-Length: {len(OK)}\r\n\r\n{OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    with ChatServer([raw(first), {"reply": "34 C"}]) as server:
        model = chat(server, stream=False)
        assert model.ask(request()).raw["content"] == "33 C"
        assert model.ask(request()).raw["content"] == "34 C"
        assert server.connections == 2
        model.close()


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"1\r\n{letter}\r\n" for letter in OK) + "0\r\n\r\n",
        f"{len(OK):X};name=value\r\n{OK}\r\n0\r\nTrailer: x\r\n\r\n",
        f"000{len(OK):x}\r\n{OK}\r\n000\r\n\r\n",
    ],
    ids=["one by one", "extension and trailer", "zeros"],
)
def test_odd_chunks_are_read(body):
    act = raw(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{body}")
    with ChatServer([act, act]) as server:
        model = chat(server, stream=False)
        assert [model.ask(request()).raw["content"] for _ in range(2)] == ["33 C", "33 C"]
        assert server.connections == 1
        model.close()


@pytest.mark.parametrize(
    "body",
    ["zz\r\n{}\r\n0\r\n\r\n", "-5\r\n{}\r\n0\r\n\r\n", "5\r\n{}", "\r\n\r\n", "ffffffffffffffff\r\n{}", "9" * 70_000],
)
def test_wrong_chunks_are_faults(body):
    fails([raw(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{body}", close=True)], stream=False)


@pytest.mark.parametrize("size", ["-5", "+5", "0x5", "5_0", "zz", "", " ", "5 5", "-0", "00000000000000001", "\xb2"])
def test_the_size_of_a_chunk_that_is_not_a_number_is_said_at_once(size):
    act = raw(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{size}\r\n{OK}\r\n0\r\n\r\n")
    for stream in (True, False):
        with Timed() as t:
            sentence = fails([act], stream=stream)
        assert sentence.endswith("a reply that is not HTTP: the size of a chunk is not a number")
        assert t.seconds < PLENTY / 4


@pytest.mark.parametrize("head", [HEAD, "HTTP/1.0 200 OK\r\n"], ids=["quick", "by http.client"])
@pytest.mark.parametrize("length", ["-5", "+5", "5_0", "x", "", "5, 5", "0x5", "1e3", "\xb2"])
def test_a_length_that_is_not_a_number_is_said_at_once(head, length):
    for act in (raw(f"{head}Content-Length: {length}\r\n\r\n{OK}"), raw(f"{head}Content-Length: {length}\r\n\r\n")):
        with Timed() as t:
            sentence = fails([act])
        assert sentence.endswith("a reply that is not HTTP: its Content-Length is not a number")
        assert t.seconds < PLENTY / 4


@pytest.mark.parametrize("coding", ["gzip", "gzip, chunked", "identity", ""])
def test_a_coding_that_is_not_read_is_said_at_once(coding):
    sentence = fails([raw(f"{HEAD}Transfer-Encoding: {coding}\r\n\r\n{OK}")])
    assert sentence.endswith("its Transfer-Encoding is not chunked")


def test_what_is_left_of_a_reply_that_was_given_up_is_not_the_beginning_of_the_next_one():
    evil = f"{HEAD}Content-Length: 4\r\n\r\nevil"
    bad = "data: nonsense\n\n"
    chunk = f"{len(bad):x}\r\n{bad}"
    packed = f"{HEAD}Content-Encoding: gzip\r\nContent-Length: {len(evil)}\r\n\r\n{evil}"
    for left in (f"{EVENTS}{chunk}\r\n5\r\ndata:\r\n0\r\n\r\n", f"{EVENTS}{chunk}{evil}", packed):
        with ChatServer([raw(left), {"reply": "34 C"}]) as server:
            model = chat(server, retries=0)
            with pytest.raises(ModelFault, match="gave no chat completion"):
                model.ask(request())
            assert model.ask(request()).raw["content"] == "34 C"
            assert (server.connections, len(server.requests)) == (2, 2)


def test_a_reply_that_ends_with_the_connection():
    assert ask([raw(f"{HEAD}Connection: close\r\n\r\n{OK}", close=True)]).raw["content"] == "33 C"
    assert ask([{"reply": "33 C", "chunked": False, "close": True}]).raw["content"] == "33 C"


def test_an_interim_answer_is_passed_over():
    reply = ask([raw(f"HTTP/1.1 100 Continue\r\n\r\n{HEAD}Content-Length: {len(OK)}\r\n\r\n{OK}")])
    assert reply.raw["content"] == "33 C"


# --- too much ---


def test_an_endless_body_is_bounded():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def pour():
            for head in (HEAD + "\r\n", HEAD + "Content-Length: 999999999999\r\n\r\n", "HTTP/1.1 200 OK\r\n"):
                sock, _ = listener.accept()
                with sock:
                    sock.recv(65536)
                    try:
                        sock.sendall(head.encode())
                        while not stop.is_set():
                            sock.sendall(b"x: " + b"y" * 60_000 + b"\r\n")
                    except OSError:
                        continue

        threading.Thread(target=pour, daemon=True).start()

        class At:
            base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"

        for _ in range(3):
            with Timed() as t, pytest.raises(ModelFault, match="sent more than is taken") as caught:
                chat(At, retries=0).ask(request(seconds=10.0))
            assert t.seconds < 10
            assert str(At.base_url)[7:] in str(caught.value)
        stop.set()


def test_more_fields_than_anybody_needs():
    fails([raw(HEAD + "".join(f"X{n}: y\r\n" for n in range(500)) + "\r\n")])
    fails([raw(HEAD + "X: " + "y" * 66_000 + "\r\n\r\n")])


def test_a_giant_line_of_events():
    body = "data: " + "x" * 1_200_000 + "\n\n"
    assert "longer than" in fails([raw(f"{EVENTS}{len(body):x}\r\n{body}\r\n0\r\n\r\n")])


# --- no HTTP, no JSON ---


NO_HTTP = ("SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\x00\x02\x02\x16", "HTTP/2 200 OK\r\n\r\n", "\n\n")


@pytest.mark.parametrize("text", NO_HTTP)
def test_what_is_no_http_says_so(text):
    sentence = fails([raw(text, close=True)])
    assert "HTTP" in sentence or "broke off" in sentence


@pytest.mark.parametrize(
    "body",
    ["", "null", "[]", "{", "nonsense", "{}", '{"choices": []}{', '{"choices": "x"}', "\xff\xfe", "[" * 100_000,
     '{"choices": [{"message": {"content": NaN}}]}', '{"choices": [{"message": {"content": -Infinity}}]}', "9" * 5000],
)  # fmt: skip
def test_garbage_is_no_chat_completion(body):
    sentence = fails([raw(f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}")])
    assert "gave no chat completion" in sentence
    assert len(sentence) < 600


@pytest.mark.parametrize("data", ["{", "nonsense", "3", "NaN", '{"choices": [3]}', "[" * 100_000, "\x00"])
def test_garbage_in_a_stream_is_no_chat_completion(data):
    body = f"data: {data}\n\n"
    assert "gave no chat completion" in fails([raw(f"{EVENTS}{len(body):x}\r\n{body}\r\n0\r\n\r\n")])


def test_an_error_in_a_stream_is_said():
    body = 'data: {"error": {"message": "the <b>model</b>\\u001b[31m crashed"}}\n\n'
    sentence = fails([raw(f"{EVENTS}{len(body):x}\r\n{body}\r\n0\r\n\r\n")])
    assert sentence.endswith("broke off with an error: the <b>model</b> crashed")


def test_invalid_utf8_is_replaced():
    body = json.dumps(completion({"reply": "33 @C"})).replace("@", "\xff")
    got = ask([raw(f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}")])
    assert got.raw["content"] == "33 \ufffdC"


def test_a_packed_reply_is_refused():
    assert "packed (gzip)" in fails([raw(f"{HEAD}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{{}}")])


# --- connections ---


def test_a_server_that_is_not_there():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    class At:
        base_url = f"http://127.0.0.1:{port}/v1"

    with pytest.raises(ModelFault, match=f"nothing listens at 127.0.0.1:{port}.*tried 3 times") as caught:
        chat(At, retries=2).ask(request())
    assert caught.value.endpoint == f"127.0.0.1:{port}/v1/chat/completions"
    assert "base_url" in caught.value.fix


def test_a_name_without_address():
    class At:
        base_url = "http://no-such-host.invalid/v1"

    with Timed() as t, pytest.raises((ModelFault, BudgetFault), match=r"no-such-host\.invalid"):
        chat(At, retries=0).ask(request(seconds=3.0))
    assert t.seconds < 3.0 + late(t.begun)


@pytest.mark.parametrize("host", ["a..b", "x" * 80])
def test_a_host_that_is_no_name(host):
    class At:
        base_url = f"http://{host}/v1"

    with pytest.raises(ModelFault, match="has no address"):
        chat(At, retries=0).ask(request(seconds=3.0))


def test_an_address_that_swallows_everything_ends_in_time():
    with socket.socket() as full:
        # A listener that accepts nothing and whose queue is full swallows further connections on loopback.
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = []
        for _ in range(3):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(full.getsockname())
            waiting.append(one)
        time.sleep(0.1)

        class At:
            base_url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"

        model = chat(At)
        with Timed() as t, pytest.raises(BudgetFault):
            model.ask(request(seconds=0.5))
        assert t.seconds < 0.5 + late(t.begun)
        asked = Asked(model, request(seconds=20.0))
        time.sleep(0.2)
        begun = moment()
        model.cut()
        asked.join(60)
        assert "cut off" in str(asked.end)
        assert asked.ended - begun < soon(begun)
        for one in waiting:
            one.close()


def test_one_connection_serves_a_conversation():
    with ChatServer([{"reply": "a"}, {"reply": call("recall", {})}] * 5) as server:
        model = chat(server)
        for _ in range(10):
            model.ask(request())
        assert (server.connections, len(server.requests)) == (1, 10)
        model.close()


def test_a_connection_that_was_closed_while_idle_is_replaced():
    with ChatServer([{"reply": "a", "close": True}, {"reply": "b", "close": True}, {"reply": "c"}]) as server:
        model = chat(server, stream=False, retries=0)
        for expected in "abc":
            assert model.ask(request()).raw["content"] == expected
            time.sleep(0.05)
        assert (server.connections, len(server.requests)) == (3, 3)
        model.close()


def test_a_connection_that_is_closed_at_the_next_request_is_replaced_once():
    acts = [{"reply": "a"}, raw("", close=True), {"reply": "b"}, raw("", reset=True), raw("", reset=True)]
    with ChatServer(acts) as server:
        model = chat(server, stream=False, retries=0)
        assert model.ask(request()).raw["content"] == "a"
        assert model.ask(request()).raw["content"] == "b"
        with pytest.raises(ModelFault, match="broke off before any reply"):
            model.ask(request())
        assert len(server.requests) == 5
        model.close()


def test_a_refusal_before_the_whole_request_was_read_is_heard():
    with ChatServer([{"status": 413, "body": '{"error": "too long"}', "unread": True, "close": True}]) as server:
        wanted = request()
        wanted.context.user("x" * 6_000_000, 0.0)
        with pytest.raises(ModelFault) as caught:
            chat(server, retries=0).ask(wanted)
    # The kernel may throw the answer away with the unread request: then the connection was reset.
    assert "too long" in str(caught.value) or "broke off" in str(caught.value)


# --- tries ---


def test_an_error_that_goes_away_is_tried_again():
    acts = [{"status": 500, "body": "oops"}, {"status": 429}, raw("", close=True), {"reply": "33 C"}]
    for stream in (True, False):
        with ChatServer(acts) as server:
            assert chat(server, stream=stream).ask(request()).raw["content"] == "33 C"
            assert len(server.requests) == 4
            assert len({one["body"] for one in server.requests}) == 1


def test_tries_are_counted_and_end():
    sentence = fails([{"status": 503, "body": '{"error":{"message":"loading model"}}', "times": 9}], retries=2)
    assert "(status 503): loading model (tried 3 times)" in sentence


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422, 301, 418])
def test_what_will_not_go_away_is_not_tried_again(status):
    with ChatServer([{"status": status}, {"reply": "x"}]) as server:
        with pytest.raises(ModelFault, match=f"status {status}"):
            chat(server).ask(request())
        assert len(server.requests) == 1


def test_nothing_is_tried_again_behind_the_first_byte_of_a_reply():
    for stream, cut in ((True, 130), (False, 130), (True, 3)):
        with ChatServer([{"reply": "x" * 99, "cut": cut}, {"reply": "second"}]) as server:
            with pytest.raises(ModelFault):
                chat(server, stream=stream).ask(request())
            assert len(server.requests) == 1


def test_retry_after_is_kept():
    with ChatServer([{"status": 429, "headers": {"Retry-After": "0.6"}}, {"reply": "x"}]) as server:
        with Timed() as t:
            chat(server).ask(request())
        assert 0.6 <= t.seconds < 2.0 + late(t.begun)
    date = {"Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:38 GMT"}
    with ChatServer([{"status": 503, "headers": date}, {"reply": "x"}]) as server:
        with Timed() as t:
            chat(server).ask(request())
        assert 1.0 <= t.seconds < 2.5 + late(t.begun)


def test_retry_after_beyond_the_deadline_is_said_at_once():
    with Timed() as t:
        sentence = fails([{"status": 429, "headers": {"Retry-After": "300"}, "body": "slow down"}], 5.0, retries=3)
    assert t.seconds < 1 + late(t.begun)
    assert "asks to wait 300 s, and 5 s are left" in sentence
    assert "slow down" in sentence


def test_an_account_that_is_used_up_is_not_tried_again():
    with ChatServer([{"status": 429, "body": '{"error":{"message":"pay","code":"insufficient_quota"}}'}]) as server:
        with pytest.raises(ModelFault, match=r"status 429.*pay"):
            chat(server).ask(request())
        assert len(server.requests) == 1


def test_a_cut_ends_a_pause_between_tries():
    with ChatServer([{"status": 429, "headers": {"Retry-After": "15"}, "times": 9}]) as server:
        model = chat(server)
        asked = Asked(model, request(seconds=30.0))
        eventually(lambda: server.requests)
        begun = moment()
        model.cut()
        asked.join(60)
        assert "cut off" in str(asked.end)
        assert asked.ended - begun < soon(begun)
        assert len(server.requests) == 1
    assert LONGEST < 15
