"""A chat-completions server that does what its script says, well or badly.

A script is a list of acts, one for each request, in order; `times` repeats an act. As a file: one JSON list.

    {"reply": "text" or {assistant message}}   answered as the request wants it: streamed or whole
        usage [prompt, completion], finish "stop", deltas: characters of one streamed piece, done: false leaves out
        the last event, bare: true streams without the usage, chunked: false ends the stream by closing
    {"status": 429, "headers": {...}, "body": "text"}
    {"wire": "HTTP/1.1 200 OK\\r\\n..."}        these characters as bytes (latin-1), nothing else

In a test of the same process a reply may also be a function of the request (its body, decoded), for a server that
answers from what it was told.

and how it is sent:

    delay: seconds before it, drip: seconds between pieces, piece: bytes of a piece (1 with drip), length: added to
    Content-Length, cut: bytes after which the connection is closed, close: true closes behind it, reset: true closes
    with a reset, hang: true says nothing more and waits for the client to go, unread: true answers before the body
    of the request was read

`python tests/support/chatserver.py --script FILE [--port 0] [--log FILE] [--loop]` prints its port and serves until
its standard input ends or it is killed. The log gets one JSON object a request.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
import time


class Gone(OSError):
    """The client went away, or the act wants the connection closed."""


class ChatServer:
    """`requests` holds what was asked: method, path, headers (lower case), body (bytes), connection (1, 2, ...)."""

    def __init__(self, acts, cert=None, log="", loop=False):
        self.acts = [act for act in acts for _ in range(act.get("times", 1))]
        self.requests = []
        self.connections = 0
        self._loop = loop
        self._next = 0
        self._log = log
        self._open = set()
        self._lock = threading.Lock()
        self._context = None
        if cert:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*cert)
        self._listener = None
        self.port = 0

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self, port=0):
        """Listen on loopback and serve in threads."""
        self._listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        return self

    def stop(self):
        """No more connections, and none that is open."""
        with self._lock:
            for sock in (self._listener, *self._open):
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            self._listener.close()

    @property
    def base_url(self):
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}/v1"

    def _accept(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.add(sock)
                number = self.connections
            threading.Thread(target=self._serve, args=(sock, number), daemon=True).start()

    def _serve(self, raw, number):
        sock = raw
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context:
                sock = self._context.wrap_socket(raw, server_side=True)
                with self._lock:
                    self._open.discard(raw)
                    self._open.add(sock)
            file = sock.makefile("rb")
            while self._one(sock, file, number):
                pass
        except OSError:  # the client went, or Gone
            return
        finally:
            with self._lock:
                self._open.discard(sock)
            sock.close()

    def _act(self):
        with self._lock:
            if self._next >= len(self.acts):
                if not self._loop:
                    return {"status": 500, "body": '{"error": {"message": "the script is used up"}}'}
                self._next = 0
            self._next += 1
            return self.acts[self._next - 1]

    def _one(self, sock, file, number):
        """One request; True when another may follow on this connection."""
        first = file.readline()
        if not first:
            return False
        words = first.split()
        if len(words) != 3 or not words[2].startswith(b"HTTP/"):
            sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return False
        method, path = words[0].decode("latin-1"), words[1].decode("latin-1")
        headers = {}
        while True:
            line = file.readline().decode("latin-1").strip()
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        act = self._act()
        body = b"" if act.get("unread") else file.read(int(headers.get("content-length", 0)))
        self._note({"method": method, "path": path, "headers": headers, "body": body, "connection": number})
        wants = json.loads(body) if body[:1] == b"{" else {}
        if callable(act.get("reply")):
            act = {**act, "reply": act["reply"](wants)}
        _send(sock, act, _bytes(act, wants.get("stream", False)))
        return not act.get("close")

    def _note(self, request):
        with self._lock:
            self.requests.append(request)
            if self._log:
                with open(self._log, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**request, "body": request["body"].decode("utf-8", "replace")}) + "\n")


def _send(sock, act, data):
    time.sleep(act.get("delay", 0))
    if "cut" in act:
        data = data[: act["cut"]]
    step = act.get("piece", 1 if "drip" in act else len(data) or 1)
    for at in range(0, len(data), step):
        sock.sendall(data[at : at + step])
        time.sleep(act.get("drip", 0))
    if act.get("hang"):
        sock.recv(1)
    if act.get("reset"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone
    if "cut" in act or act.get("hang"):
        raise Gone


def _bytes(act, stream):
    """The whole answer of an act."""
    if "wire" in act:
        return act["wire"].encode("latin-1")
    if "status" in act:
        return _answer(act, act["status"], act.get("body", "").encode(), act.get("headers", {}))
    if not stream:
        headers = {"Content-Type": "application/json", **act.get("headers", {})}
        return _answer(act, 200, json.dumps(completion(act)).encode(), headers)
    chunked = act.get("chunked", True)
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    head += "Transfer-Encoding: chunked\r\n\r\n" if chunked else "Connection: close\r\n\r\n"
    events = list(stream_events(act))
    if chunked:
        return head.encode() + b"".join(b"%x\r\n%s\r\n" % (len(e), e) for e in events) + b"0\r\n\r\n"
    return head.encode() + b"".join(events)


def _answer(act, status, body, headers):
    lines = [f"HTTP/1.1 {status} Something", f"Content-Length: {len(body) + act.get('length', 0)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def message(act):
    """The assistant message of an act."""
    said = act["reply"]
    return {"role": "assistant", "content": said} if isinstance(said, str) else {"role": "assistant", **said}


def _finish(act):
    return act.get("finish", "tool_calls" if message(act).get("tool_calls") else "stop")


def _usage(act):
    prompt, made = act.get("usage", [20, 10])
    return {"prompt_tokens": prompt, "completion_tokens": made, "total_tokens": prompt + made}


def completion(act):
    """A whole chat completion."""
    choice = {"index": 0, "message": message(act), "finish_reason": _finish(act)}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": _usage(act)}


def stream_events(act):
    """The same as server-sent events."""
    said = message(act)

    def event(delta, finish=None, **more):
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        value = {"id": "c", "object": "chat.completion.chunk", "choices": choices, **more}
        return b"data: " + json.dumps(value).encode() + b"\n\n"

    yield event({"role": "assistant", "content": None})
    size = act.get("deltas", 8)
    text = said.get("content") or ""
    for at in range(0, len(text), size):
        yield event({"content": text[at : at + size]})
    for index, call in enumerate(said.get("tool_calls") or ()):
        function = call["function"]
        start = {"name": function["name"], "arguments": ""}
        yield event({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": start}]})
        arguments = function["arguments"]
        for at in range(0, len(arguments), size):
            piece = {"arguments": arguments[at : at + size]}
            yield event({"tool_calls": [{"index": index, "function": piece}]})
    yield event({}, _finish(act))
    if not act.get("bare"):
        yield event(None, usage=_usage(act))
    if act.get("done", True):
        yield b"data: [DONE]\n\n"


def call(tool, args, name="call_1"):
    """An assistant message with one tool call."""
    function = {"name": tool, "arguments": json.dumps(args)}
    return {"content": None, "tool_calls": [{"id": name, "type": "function", "function": function}]}


def main():
    import argparse
    import sys

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", default="")
    parser.add_argument("--loop", action="store_true")
    told = parser.parse_args()
    with open(told.script, encoding="utf-8") as file:
        acts = json.load(file)
    server = ChatServer(acts, log=told.log, loop=told.loop).start(told.port)
    print(server.port, flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
