"""A device behind a socket that QEMU connects to, in a thread of its own.

Rules:
1. One conversation at a time; after its end (power cut, another start) the next one is waited for.
2. A conversation that ends by a fault is told in `faults`, the last MOST of them; the device stays.
3. `close` ends the thread and removes the socket, whatever QEMU does.
"""

from __future__ import annotations

import os
import select
import socket
import threading
from collections import deque
from pathlib import Path
from types import TracebackType

from edge.faults import HardwareFault
from hil.vhost.session import Device, Session

MOST = 20


class Server:
    """Listens from the beginning. Use it as a context."""

    def __init__(self, path: Path, device: Device) -> None:
        self.path, self.device = path, device
        self.faults: deque[HardwareFault] = deque(maxlen=MOST)
        self._stop, self._stopping = os.pipe()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(path))
        self._socket.listen(1)
        self._thread = threading.Thread(target=self._serve, name=f"vhost {path.name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        os.write(self._stopping, b"x")
        self._thread.join()
        self._socket.close()
        os.close(self._stop)
        os.close(self._stopping)
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while self._stop not in select.select([self._stop, self._socket], [], [])[0]:
            link, _ = self._socket.accept()
            with link:
                self._talk(link)

    def _talk(self, link: socket.socket) -> None:
        try:
            Session(link, self.device).run(self._stop)
        except HardwareFault as fault:
            self.faults.append(fault)
        except OSError as error:  # a file that QEMU gave and that is none of those it should be
            self.faults.append(HardwareFault(f"a file of QEMU's cannot be used: {error}"))
