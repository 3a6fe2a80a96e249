"""The way in: argv -> options -> one-shot, REPL or a verb. The only place that prints or exits.

On the path to the prompt: everything else is imported at first use.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options
    from edge.faults import OutputFault


def main(argv: list[str]) -> int:
    """Run one command; the exit code (README has the table). Prints faults as sentences."""
    debug = "--debug" in argv
    try:
        return _flushed(_dispatch(argv))
    except KeyboardInterrupt:
        if debug:
            raise
        say("fieldhand: interrupted")
        return 130
    except Exception as error:  # whatever it is ends as a sentence; the traceback only with --debug
        if debug:
            raise
        return _told(error)


def _told(error: Exception) -> int:
    """Say what went wrong; the exit code of it."""
    from edge.faults import Fault

    if isinstance(error, Fault):
        say(f"fieldhand: {error}")
        return error.code
    say(f"fieldhand: a fault of its own: {type(error).__name__}: {error} (run it again with --debug and report it)")
    return 1


def say(text: str) -> None:
    """One line on stderr; a closed or full stderr is nobody to tell."""
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        sys.stderr = None


def put(text: str) -> None:
    """Lines on stdout; OutputFault when they cannot be written."""
    if sys.stdout is None:
        raise _lost("stdout is closed: the answer could not be written")
    try:
        data = (text + "\n").encode(sys.stdout.encoding or "ascii", "replace")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise _lost(f"the answer could not be written to stdout: {why.lower()}") from error


def _lost(sentence: str) -> OutputFault:
    from edge.faults import OutputFault

    return OutputFault(sentence)


def _flushed(code: int) -> int:
    """Flush stdout ourselves, so that the interpreter does not trip over it at exit."""
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except (OSError, ValueError):
            sys.stdout = None
            return 9
    return code


def _dispatch(argv: list[str]) -> int:
    from edge.cli.args import parse

    options = parse(argv)
    if options.version:
        from edge import __version__

        put(f"fieldhand {__version__}")
        return 0
    if options.help:
        from edge.cli.usage import HELP

        put(HELP)
        return 0
    if options.goal is not None:
        from edge.cli.oneshot import run

        return run(options)
    if options.verb:
        return _verb(options)
    from edge.cli.repl import repl

    return repl(options)


def _verb(options: Options) -> int:
    from edge.cli import verbs

    return verbs.VERBS[options.verb](options)
