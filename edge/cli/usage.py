"""What `fieldhand --help` prints, within the 80 columns of a serial console."""

from __future__ import annotations

HELP = """\
fieldhand                             a conversation at the prompt
fieldhand -e GOAL                     one goal; only the answer is on stdout
fieldhand tools [--json]              the catalogue of tools
fieldhand tool NAME key=value ...     one gated call, no model
fieldhand policy check NAME JSON      what the gate says (10 asks, 11 denies)
fieldhand tape list|show|resume NAME  what was said and done; NAME may be `last`
fieldhand sim show|set NAME VALUE|reset
                                      look at the simulated board, change it
fieldhand doctor [--json]             what is present here

options, before or after the command:
  --board sim           the board (the simulated greenhouse)
  --model offline|chat:NAME|scripted:FILE
  --base-url URL        where chat:NAME is: http://127.0.0.1:8080/v1
  --mode readonly|supervised|guarded|full
  --yes                 yes to everything the gate would ask, this run
  --config FILE         settings
  --state DIR           where tapes and the simulation are kept
  --trace json          every event as a JSON line on stderr
  --json                for tools, policy check, tape show, sim show, doctor
  --debug               a traceback where a sentence would stand
  --version  --help

exit codes: 0 answered, 1 a check failed, 2 usage, 3 configuration, 4 model,
5 budget or deadline, 6 refused or nobody to ask, 7 hardware,
9 output could not be written, 130 interrupted"""
