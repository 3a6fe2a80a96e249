"""`fieldhand -e GOAL`: one turn; the answer on stdout, all else on stderr."""

from __future__ import annotations

from edge.cli import put, say, settle
from edge.cli.assemble import Run, failure
from edge.cli.interrupts import counting, leaving
from edge.cli.show import Lines, Trace
from edge.faults import HardwareFault, OutputFault
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options
    from edge.model import Model
    from edge.watch import Watcher


def watcher(options: Options) -> Watcher:
    """The watcher that the options ask for."""
    return Trace() if options.trace == "json" else Lines()


def run(options: Options) -> int:
    """One goal with the model of the options."""
    assert options.goal is not None
    return carry(options, options.goal)


def carry(options: Options, line: str, model: Model | None = None) -> int:
    """One turn with everything around it: tape, leases, exit code."""
    run_ = Run(options, watcher(options))
    unkept = settle.unkept(run_.state)
    if unkept:
        say(unkept)
    code = 130
    try:
        with counting(run_.loop):
            ending = run_.loop.run(line, model)
        code = ending.code
        if ending.fault is not None:
            say(f"fieldhand: {failure(ending, run_.tape, run_.loop.keeper.failed)}")
        elif ending.answer:
            code = _deliver(ending.answer, code)
        with counting(run_.loop):
            code = _lingered(run_, code)
    finally:
        with leaving():
            run_.close(code)
    return code


def _lingered(run_: Run, code: int) -> int:
    """Wait for the run's own leases; the exit code after it."""
    try:
        run_.linger()
    except HardwareFault as fault:
        run_.loop.note("fault", {"kind": fault.kind, "sentence": str(fault), "code": fault.code}, True)
        say(f"fieldhand: {fault}; the state of its outputs is unknown")
        return fault.code
    return 130 if run_.loop.interrupted else code


def _deliver(answer: str, code: int) -> int:
    try:
        put(plain(answer))
    except OutputFault as fault:
        say(f"fieldhand: {fault}")
        return fault.code
    return code
