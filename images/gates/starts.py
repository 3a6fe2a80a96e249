"""The agent of the root starts and answers under qemu-user, with an empty environment.

Rules:
1. The start script of the image is run, not something like it; its python3 is a stand-in that enters qemu, because the
   agent starts a second process by it.
2. The agent has the deadlines of a board (10 s for its outputs). A busy builder may miss them under an emulator: what
   ends as a board that did not answer is tried again.
3. What OpenSSL trusts is asked by path as well: qemu would find the machine's certificates where the tree has none.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from edge.faults import HardwareFault
from images import agent, arches, certificates, rooted, user_mode
from images.gates import authorities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

GOAL = "How warm is it?"
WORDS = ("--board", "sim", "--model", "offline", "--yes", "-e", GOAL)
TRUST = r"""
import ssl
paths = ssl.get_default_verify_paths()
print(paths.openssl_cafile, paths.openssl_capath, len(ssl.create_default_context().get_ca_certs()))
"""
SECONDS = 300
TRIES = 3


def check(tree: Path, product: Target) -> list[str]:
    """A sentence for each thing that did not start or did not answer."""
    arch = arches.named(product.arch)
    with tempfile.TemporaryDirectory() as folder:
        programs = user_mode.stage(tree, arch, product.python, Path(folder))
        return [*_answers(tree, programs, Path(folder)), *_trusts(tree, programs)]


def _answers(tree: Path, programs: Path, folder: Path) -> list[str]:
    script = programs / "fieldhand"
    script.write_bytes((tree / agent.START).read_bytes())
    home = folder / "home"
    home.mkdir()
    settings = {"HOME": str(home), "PATH": f"{programs}:/usr/bin:/bin"}
    for _ in range(TRIES):
        code, out, errors = user_mode.run(["/bin/sh", str(script), *WORDS], add=settings, seconds=SECONDS)
        if code != HardwareFault.code:
            break
    said = out.decode("utf-8", "replace")
    if code or not re.search(r"\d+(\.\d+)? ?(°|degrees )?C", said):
        last = " / ".join(errors.decode("utf-8", "replace").strip().splitlines()[-3:])
        return [f"the agent did not answer {GOAL!r} (code {code}): {said.strip()[:200]} {last[:400]}".rstrip()]
    return []


def _trusts(tree: Path, programs: Path) -> list[str]:
    code, out, errors = user_mode.run([str(programs / "python3"), "-I", "-S", "-c", TRUST], seconds=SECONDS)
    words = out.decode("utf-8", "replace").split()
    if code or len(words) != 3:
        return [f"ssl does not start (code {code}): {errors.decode('utf-8', 'replace').strip()[-200:]}"]
    wrong = [f"OpenSSL looks for {path}, which is not there" for path in words[:2] if rooted.find(tree, path) is None]
    held = len(certificates.hashed(tree))
    if not authorities.LEAST < int(words[2]) <= held:
        wrong.append(f"ssl trusts {words[2]} authorities, the tree holds {held}")
    return wrong
