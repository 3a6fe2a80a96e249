"""What `fieldhand --help` prints, within the 80 columns of a serial console."""

from __future__ import annotations

HELP = """\
fieldhand                             a conversation at the prompt
fieldhand -e GOAL                     one goal; only the answer is on stdout
fieldhand tools [--json]              the catalogue of tools
fieldhand tool NAME key=value ...     one gated call, no model
fieldhand policy check NAME JSON      what the gate says (10 asks, 11 denies)
fieldhand policy explain [NAME JSON]  every rule, or why this call
fieldhand tape list|show|resume NAME  what was said and done; NAME may be `last`
fieldhand sim show|set NAME VALUE|reset|watch [--once]
                                      look at the simulated board, change it;
                                      watch: as it goes on, a real one too
fieldhand doctor [--json]             what is present here
fieldhand wire [--json]               what is wired where, and does it answer
fieldhand stop [--all|--network|--tool NAME] [--why TEXT]
                                      the emergency stop, until
fieldhand resume [--network|--tool NAME]
fieldhand safe-all                    every output safe now, no approval needed
fieldhand guard run|unit systemd|unit busybox
                                      the outputs' guard as a service
fieldhand approvals list|approve ID|deny ID [TEXT]
                                      questions that wait for an answer
fieldhand audit verify|show [N|all]|export FILE|key
                                      is the record of all acts sound? read it
fieldhand config show|init [FILE]     what is set and by whom; a first file
fieldhand image build|verify|flash|lock|key ...
                                      cards for boards, from a checkout
fieldhand provision check FILE|apply|status
                                      what a card is to be told; what came of it
fieldhand update FILE|URL|status|confirm|back
                                      this board's other slot: written, started
fieldhand data backup FILE|restore FILE|reset
                                      what this board keeps
fieldhand card prepare|health         steps of a card's boot; its init runs them
fieldhand supervise                   a board's service: feeds its watchdog

options, before or after the command:
  --board sim|sim:NAME|auto|FILE
                        the board: simulated, this one, or of a board file
  --model offline|chat:NAME|scripted:FILE
  --base-url URL        where chat:NAME is: http://127.0.0.1:8080/v1
  --mode readonly|supervised|guarded|full
  --profile NAME        [risk_profiles.NAME] of the settings; --mode beats it
  --grant GRANT         yes to this: 'output_set fan <=10m x3 for 2h'
  --unattended          nobody is there: what would ask is denied
  --yes                 yes to everything the gate would ask, this run
  --ask                 without a terminal: wait for fieldhand approvals
  --config FILE         settings
  --state DIR           where tapes and the simulation are kept
  --trace json          every event as a JSON line on stderr
  --key FILE --head FILE --from N
                        for audit verify: a key and a head kept elsewhere
  --socket PATH --users A,B
                        for guard: where it listens, who else may use it
  --json                for tools, policy check, tape show, sim show, doctor,
                        audit verify and show
  --debug               a traceback where a sentence would stand
  --version  --help     fieldhand COMMAND --help: of that one

exit codes: 0 answered, 1 a check failed, 2 usage, 3 configuration, 4 model,
5 budget or deadline, 6 refused or nobody to ask, 7 hardware,
8 a torn audit log, 9 output could not be written, 130 interrupted"""
