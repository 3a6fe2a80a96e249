"""One good call of each tool, as a process makes them that finds no program anywhere."""

from __future__ import annotations

import http.server
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edge.faults import Fault
from edge.hands.needs import missing
from edge.registry import TOOLS, find
from tests.support.any_call import carry, place
from tests.support.every_tool import CALLS


@contextmanager
def page() -> Iterator[str]:
    """The address of a page on loopback."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<h1>Pump</h1><p>runs at 12 V</p>")

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is told."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def outcomes(folder: Path) -> Iterator[dict[str, Any]]:
    """What the root holds, then what came of each call."""
    yield {
        "tool": "the root",
        "path": os.environ.get("PATH", ""),
        "shells": [one for one in ("/bin/sh", "/usr/bin/sh", "/bin/busybox", "/bin/bash") if os.path.lexists(one)],
        "programs": [name for one in ("/bin", "/usr/bin", "/sbin") if os.path.isdir(one) for name in os.listdir(one)],
        "python": list(sys.version_info[:2]),
    }
    assert shutil.which("sh") is None
    with page() as address, place(folder / "scratch") as here:
        work = Path(here.scene.cwd)
        assert here.spill is not None
        handle = here.spill.put("kept aside " * 3000, "grep").partition("handle=")[2].partition(",")[0]
        other = {"url": address, "handle": handle}
        for name in TOOLS:
            (work / "note").write_text("secret words\n")
            args = {key: other.get(key, value) for key, value in CALLS[name].items()}
            yield {"tool": name, **_outcome(name, args, here)}


def _outcome(name: str, args: dict[str, Any], here: Any) -> dict[str, Any]:
    absent = missing(find(name).needs)
    try:
        found = carry(name, args, here)
    except Fault as fault:
        return {"ok": False, "fault": f"{fault.sentence}; {fault.fix}", "text": "", "absent": absent}
    return {"ok": found is not None and found.ok, "fault": "", "text": found.text if found else "", "absent": absent}
