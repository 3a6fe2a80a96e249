"""Broken products, kept to test the tests: each has to be caught by a test on an emulated board (`make hil-mutants`).

Rules:
1. A mutant replaces texts of one source file, each of which stands there exactly once. When one does not any more, the
   file was rewritten: that is a fault, and the mutant has to be thought of again.
2. It names the tests that must fail and what their failure says, so that nothing is caught by mere accident.
3. The same tests have to pass on the same card with nothing broken (hil/mutants/__main__.py runs that first).
"""

from __future__ import annotations

from edge.record import Record

_BOOT = "tests/hil/test_boot.py"


class Mutant(Record):
    """`file` below the checkout; `swaps` are (text, what stands in its place); `tests` are pytest's names of tests;
    `says` is a regular expression that is found in what a failing test prints or says."""

    name: str
    what: str
    file: str
    swaps: tuple[tuple[str, str], ...]
    tests: tuple[str, ...]
    says: str
    product: str = "pi-arm64"


MUTANTS = (
    Mutant(
        "landlock",
        "programs are started without their Landlock rules",
        "edge/hands/wall/spawn.py",
        (("            landlock.restrict(self.ruleset)\n", "            pass\n"),),
        (f"{_BOOT}::test_a_program_writes_nowhere_but_in_the_opened_folder_though_anybody_may[raspi3b]",),
        r"a program wrote outside",
    ),
    Mutant(
        "end",
        "the guard lets a connection that ended go, and what its agent held stays as it is",
        "edge/peripherals/guard/serve.py",
        (
            (
                "        if what & sessions.GONE:\n            self._gone(session, protocol.AGENT_GONE)\n",
                "        if what & sessions.GONE:\n            self.sessions.drop(session)\n",
            ),
            (
                "session.wire.gone:\n            self._gone(session, protocol.AGENT_GONE)\n",
                "session.wire.gone:\n            self.sessions.drop(session)\n",
            ),
        ),
        ("tests/hil/test_guard.py::test_what_an_agent_held_is_safe_because_its_connection_ended",),
        r"the guard says another reason: {'heartbeat late'}",
    ),
    Mutant(
        "inverted",
        "outputs are driven the other way round",
        "edge/peripherals/guard/held.py",
        (
            (
                'Settings("output", value, self.wired.active_low, self.wired.bias)',
                'Settings("output", value, not self.wired.active_low, self.wired.bias)',
            ),
        ),
        ("tests/hil/test_guard.py::test_a_line_carries_what_was_declared_for_its_output",),
        r"the lines carry {'before': {'22': 'lo', '27': 'hi'}",
    ),
    Mutant(
        "fsync",
        "what the agent keeps is written and never put on the card",
        "edge/tape/disk.py",
        (
            ("fsync = staticmethod(os.fsync)\n", "fsync = staticmethod(lambda fd: None)\n"),
            ("fdatasync = staticmethod(os.fdatasync)\n", "fdatasync = staticmethod(lambda fd: None)\n"),
        ),
        ("tests/hil/test_lost_writes.py::test_a_card_has_what_was_acknowledged_after_a_cut_behind_any_write",),
        r"was (acknowledged|answered) and is not (there|on a tape|in the audit log)",
    ),
)
