"""What `fieldhand VERB --help` prints: that verb's lines of the help, its words, options and exit codes.

Verbs of a card have words, options and exit codes of their own (MORE). Behind the lines of all others stands what
every command takes.
"""

from __future__ import annotations

from edge.cli.usage import HELP

MORE = {
    "provision": """\
check FILE|FOLDER     on a laptop: every wrong line with its number
apply [FOLDER [DATA]] take provision.toml of the first partition, as starts do
status [FOLDER [DATA]]
                      write status.txt there again, and print it
FOLDER and DATA stand for the first partition and /data: to try it elsewhere.

exit codes: 0 right or done, 1 no card of ours, 2 usage, 3 wrong: nothing is
taken, 9 output could not be written""",
    "update": """\
FILE|URL   check the signature and write the other slot, which is started next
status     what is in both slots, which runs, whose updates are taken
confirm    the slot that runs is good: no falling back any more
back       start the other slot next

options:
  --yes        yes to an older version, and to starting over at the end
  --json       for status
  --state DIR  whose audit log notes it; otherwise /data/state

exit codes: 0 done, 1 the update or the card is not as it should be, 2 usage,
7 hardware, 9 output could not be written""",
    "data": """\
backup FILE   all that is kept, into one file; it holds secrets
restore FILE  all of it or nothing; on a card it takes place at the next start
reset         on a card the next start makes /data anew; elsewhere the state
              folder is moved aside
FILE ends in .tar.gz, .tgz, .tar.xz or .tar; - is stdout, and stdin.

options:
  --yes          for reset: do not ask for the board's name
  --state DIR    this state folder, also on a card
  --config FILE  the settings that go with it

exit codes: 0 done, 1 the backup or the card is not as it should be, 2 usage,
3 configuration, 7 hardware, 9 the file could not be written""",
    "card": """\
prepare  grow, check and mount /data, before anything uses it
health   confirm the slot that runs, if all is well

exit codes: 0 done (prepare: also when /data is memory; health: also when there
is nothing to confirm), 1 no card of ours, or not well, 2 usage, 7 hardware""",
    "supervise": """\
NAME=VALUE  what is not as on a card: notify, guard, device, feeder, log,
            status, hang, tick, health, reboot

exit codes: 1 no card of ours, or it cannot listen to agents, 2 usage,
7 hardware, 128 and the number of the signal that ended it""",
}


def of(verb: str) -> str:
    """The help of one verb."""
    more = MORE.get(verb, "")
    tail = "fieldhand --help has all commands" if more else HELP[HELP.index("\n\noptions") + 2 :]
    return "\n\n".join([lines(verb), more, tail] if more else [lines(verb), tail])


def lines(verb: str) -> str:
    """The lines of the help that begin with the verb, each with what is indented below it."""
    found: list[str] = []
    inside = False
    for line in HELP.partition("\n\n")[0].splitlines():
        inside = line.split()[:2] == ["fieldhand", verb] or (inside and line.startswith(" "))
        found += [line] * inside
    return "\n".join(found)
