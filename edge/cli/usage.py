"""What `fieldhand --help` prints."""

from __future__ import annotations

HELP = """\
fieldhand                                a conversation at the prompt
fieldhand -e GOAL                        one goal; the answer on stdout, all else on stderr
fieldhand tools [--json]                 the catalogue of tools
fieldhand tool NAME key=value ...        one gated call, no model
fieldhand policy check NAME JSON         what the gate says: exit 0 allow, 10 ask, 11 deny
fieldhand tape list|show|resume [NAME]   what was said and done (NAME: a name, its beginning, or last)
fieldhand sim show|set NAME VALUE|reset  look at the simulated board, change it
fieldhand doctor [--json]                what is present here

options, before or after the command:
  --board sim                  the board (the simulated greenhouse)
  --model offline|chat:NAME|scripted:FILE
  --base-url URL               where chat:NAME is served, such as http://127.0.0.1:8080/v1
  --mode readonly|supervised|guarded|full
  --yes                        yes to everything the gate would ask, this run
  --config FILE  --state DIR   settings, and the folder for tapes and the simulation
  --trace json                 every event as a JSON line on stderr
  --json  --debug  --version  --help

exit codes: 0 answered, 1 a check failed, 2 usage, 3 configuration, 4 model, 5 budget or deadline,
6 refused or nobody to ask, 7 hardware, 9 output could not be written, 130 interrupted"""
