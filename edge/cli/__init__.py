"""The way in: argv -> options -> one-shot, REPL or a verb. The only place that prints or exits.

On the path to the prompt: everything else is imported at first use.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from edge.cli.args import Options
    from edge.cli.printer import Printer
    from edge.faults import ConfigFault, OutputFault

_printer: Printer | None = None


def main(argv: list[str]) -> int:
    """Run one command; the exit code (README has the table). Prints faults as sentences."""
    debug = "--debug" in argv
    try:
        return _dispatch(argv)
    except KeyboardInterrupt:
        if debug:
            raise
        say("fieldhand: interrupted")
        return 130
    except Exception as error:  # whatever it is ends as a sentence; the traceback only with --debug
        if debug:
            raise
        return _told(error, argv)
    finally:
        settled()


def _told(error: Exception, argv: list[str]) -> int:
    """Say what went wrong; the exit code of it."""
    from edge.faults import ConfigFault, Fault

    if isinstance(error, Fault):
        say(f"fieldhand: {_located(error, argv) if isinstance(error, ConfigFault) else error}")
        return error.code
    say(f"fieldhand: a fault of its own: {type(error).__name__}: {error} (run it again with --debug and report it)")
    return 1


def _located(fault: ConfigFault, argv: list[str]) -> ConfigFault:
    """The fault with its line of the settings file, where words and file can be read that far."""
    import os

    from edge.cli.args import parse
    from edge.cli.located import located
    from edge.faults import UsageFault

    try:
        return located(fault, parse(argv), os.environ)
    except UsageFault:
        return fault


def telling() -> Printer:
    """What writes stderr from now on: for whatever must not wait while it tells."""
    global _printer
    if _printer is None:
        from edge.cli.printer import Printer

        encoding = sys.stderr.encoding if sys.stderr is not None else "ascii"
        _printer = Printer(sys.stderr.fileno() if sys.stderr is not None else -1, encoding)
    return _printer


def say(text: str) -> None:
    """One line on stderr; a closed or full stderr is nobody to tell."""
    if _printer is not None:
        _printer.say(text)
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        sys.stderr = None


def settled() -> None:
    """Wait until all that stderr was told is written, as long as it moves: before a prompt, before the answer."""
    if _printer is not None:
        _printer.flush()


def put(text: str) -> None:
    """Lines on stdout, behind what stderr was told so far; OutputFault when they cannot be written."""
    OUT.write(text + "\n")


class Out:
    """Stdout without a buffer of its own, so that what cannot be written is known at once, and only once."""

    def write(self, text: str) -> int:
        """All of `text`; OutputFault."""
        import os

        if sys.stdout is None:
            raise _lost("stdout is closed: the answer could not be written")
        settled()
        data = text.encode(sys.stdout.encoding or "ascii", "replace")
        try:
            while data:
                data = data[os.write(sys.stdout.fileno(), data) :]
        except OSError as error:
            sys.stdout = None
            raise _lost(
                f"the answer could not be written to stdout: {(error.strerror or 'unknown').lower()}"
            ) from error
        return len(text)

    def flush(self) -> None:
        """Nothing is ever held back."""

    def isatty(self) -> bool:
        """True when a person reads it."""
        return sys.stdout is not None and sys.stdout.isatty()


OUT: TextIO = Out()  # type: ignore[assignment]  # the three methods that the verbs use


def _lost(sentence: str) -> OutputFault:
    from edge.faults import OutputFault

    return OutputFault(sentence)


def _dispatch(argv: list[str]) -> int:
    from edge.cli.args import parse

    options = parse(argv)
    if options.version:
        from edge import __version__

        put(f"fieldhand {__version__}")
        return 0
    if options.help:
        put(_help(options.verb))
        return 0
    if options.goal is not None:
        from edge.cli.oneshot import run

        return run(options)
    if options.verb:
        return _verb(options)
    from edge.cli.repl import repl

    return repl(options)


def _help(verb: str) -> str:
    if verb:
        from edge.cli.usage_verbs import of

        return of(verb)
    from edge.cli.usage import HELP

    return HELP


def _verb(options: Options) -> int:
    from edge.cli import verbs

    return verbs.VERBS[options.verb](options)
