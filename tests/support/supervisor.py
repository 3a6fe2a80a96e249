"""busybox init as process 1 of a PID name space, with one guard to keep running; for tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.agent import ROOT, command, environment

NAMES = ("passwd", "group", "nsswitch.conf", "ld.so.cache", "localtime")  # of /etc, for what runs under that init
UNSHARE = ["unshare", "--fork", "--pid", "--mount", "--mount-proc", "--kill-child"]
# Its inittab stands in an /etc of its own, which only this mount name space sees.
BEGIN = 'mount --bind "$1" /etc && exec busybox init'


def why_not() -> str:
    """Why there can be no such init here, "" when there can."""
    missing = [name for name in ("busybox", "unshare", "mount") if not shutil.which(name)]
    if missing:
        return f"there is no {' and no '.join(missing)} here"
    applets = subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=False, timeout=60).stdout
    if "init" not in applets.split():
        return "this busybox has no init"
    tried = subprocess.run(
        [*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True, timeout=60
    )
    return f"no PID and mount name spaces can be made here: {tried.stderr.strip()}" if tried.returncode else ""


class Supervisor:
    """An init that runs what `fieldhand guard unit busybox OPTIONS` printed."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        etc = folder / "etc"
        etc.mkdir()
        for name in NAMES:
            if os.path.exists(f"/etc/{name}"):
                shutil.copy(f"/etc/{name}", etc / name)
        unit = subprocess.run(
            command("guard", "unit", "busybox", *options),
            cwd=ROOT,
            env=environment(folder),
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        (etc / "inittab").write_text(unit.replace(str(ROOT / "bin/fieldhand"), str(self._program(folder))) + "\n")
        self.log = folder / "init.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*UNSHARE, "sh", "-c", BEGIN, "sh", str(etc)],
                cwd=folder,
                env=environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def stop(self) -> None:
        """Have it shut down as before a power-off; it is gone then."""
        pids = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True)
        os.kill(int(pids.stdout), signal.SIGUSR2)
        self.process.wait(60)

    def end(self) -> None:
        """Kill it; the kernel kills all of its name space with it."""
        self.process.kill()
        self.process.wait()

    def _program(self, folder: Path) -> Path:
        """The launcher with the Python of the tests: init hands on no PATH that would name it."""
        where = folder / "bin"
        where.mkdir()
        (where / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (where / "fieldhand").write_text(f'#!/bin/sh\nPATH={where}:$PATH exec {ROOT}/bin/fieldhand "$@"\n')
        for name in ("python3", "fieldhand"):
            (where / name).chmod(0o755)
        return where / "fieldhand"
