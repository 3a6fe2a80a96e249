"""Who may import whom, as a table; and what a room without input and output must not call.

Rules:
1. A module belongs to the first room whose pattern fits its name. A module without a room is a fault: a new one
   is placed here, by argument, before it can land.
2. A room names the modules of ours it may import, the modules of the standard library it may import at the head
   of a file, and those only inside functions. A name that ends in `.*` is that package and what is below it.
   The room's own modules are not included unless they are named.
3. What is in no list is forbidden: other libraries therefore appear nowhere but where they are named (`tomli`).
4. A room calls neither open, print nor input, runs no text as code and imports nothing by a computed name, unless
   its row says so.
5. Only the registry imports a tool, by the strings of its table. Only the command line prints or exits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.support.sources import Import, Source, imports, none_of, running_nodes, sources

pytestmark = pytest.mark.once


class Room(NamedTuple):
    """One row of the table. `calls` are the exceptions to rule 4."""

    modules: str
    ours: str = ""
    head: str = ""
    late: str = ""
    calls: str = ""


# Cheap and without input or output: any function may import them.
PURE_LATE = "base64 bisect hashlib hmac json math"
# What everything else is made of.
WORDS = "edge.faults edge.record edge.text edge.call edge.tool"
# The same with reading, deciding and the table of a turn: what has no input or output.
READING = "edge.schema edge.lenient edge.framing edge.step edge.dialects edge.parallel"
CORE = f"{WORDS} {READING} edge.turn edge.gate.* edge.registry edge.verdicts"

# The parts of a package that have no input or output, beside others that have.
SIM = (
    "edge.peripherals.sim edge.peripherals.sim.adapter edge.peripherals.sim.bme280 edge.peripherals.sim.board "
    "edge.peripherals.sim.checks "
    "edge.peripherals.sim.circuit edge.peripherals.sim.declare edge.peripherals.sim.default "
    "edge.peripherals.sim.describe edge.peripherals.sim.ds2482 edge.peripherals.sim.greenhouse "
    "edge.peripherals.sim.onewire edge.peripherals.sim.operate edge.peripherals.sim.parts edge.peripherals.sim.plan "
    "edge.peripherals.sim.registers edge.peripherals.sim.relays edge.peripherals.sim.restore "
    "edge.peripherals.sim.script edge.peripherals.sim.weather edge.peripherals.sim.world edge.peripherals.sim.worlds "
    "edge.peripherals.sim.yard"
)
GUARD = (
    "edge.peripherals.guard edge.peripherals.guard.core edge.peripherals.guard.driver edge.peripherals.guard.feedback "
    "edge.peripherals.guard.interlock edge.peripherals.guard.leases edge.peripherals.guard.limits "
    "edge.peripherals.guard.line edge.peripherals.guard.looks edge.peripherals.guard.manual "
    "edge.peripherals.guard.owners edge.peripherals.guard.protocol edge.peripherals.guard.wire"
)
WIRE_TEXT = "edge.model.delta edge.model.head edge.model.place edge.model.refusal edge.model.retry edge.model.sse"
PLANNER = (
    "edge.model.carry edge.model.grammar edge.model.intents edge.model.names edge.model.phrases edge.model.planner "
    "edge.model.tokens edge.model.wording"
)
FILE_PARTS = "edge.tools.edits edge.tools.diffs edge.tools.patches"
FILE_TOOLS = FILE_PARTS + " edge.tools.file_edit edge.tools.file_patch"

ROOMS = (
    # --- the vocabulary: loaded before the prompt, by everybody ---
    Room("edge.faults"),
    Room("edge.record", calls="exec"),  # it compiles each record's constructor from text of its own
    Room("edge.text"),
    Room("edge.call edge.tool edge.watch edge.parts", "edge.record"),
    # The linear engine for patterns of a model's. `re` gets only what was proved linear, in text of the engine's own.
    Room("edge.regex edge.regex.*", "edge.faults edge.record edge.regex.*", late="re"),
    Room("edge.registry", "edge.faults edge.gate.names edge.schema", calls="__import__"),  # its own strings
    # --- the pure core ---
    # Unicode names and near words are tables of the standard library; `re` only with patterns that stand in the file.
    Room(
        READING,
        "edge.faults edge.record edge.call edge.schema edge.lenient edge.framing edge.dialects edge.parallel "
        "edge.gate.names",
        late=PURE_LATE + " re difflib unicodedata",
    ),
    Room("edge.turn", "edge.faults edge.record edge.call edge.step", late=PURE_LATE),
    Room("edge.verdicts", "edge.faults edge.record edge.call", late=PURE_LATE),
    # The digest of a policy is over JSON.
    Room(
        "edge.gate.*",
        "edge.faults edge.record edge.text edge.call edge.compact edge.gate.* edge.sha",
        late=PURE_LATE,
    ),
    # What tools there are and which of them are shown: words about tools, never their code.
    Room("edge.catalogue", "edge.call edge.tool edge.schema edge.gate.names", late=PURE_LATE),
    Room("edge.locales edge.locales.*", "edge.record edge.tool edge.locales.*", late=PURE_LATE),
    Room("edge.brief", "edge.call edge.tool edge.text edge.schema edge.catalogue edge.parallel", late=PURE_LATE),
    # Secrets in every form, and the patterns of those nobody told us of.
    Room("edge.redact edge.redact_forms", "edge.compact edge.redact_forms", late=PURE_LATE + " binascii re"),
    # --- files of our own, nothing else of the world ---
    # How often each grant of the command line was used: what a grant covers, the gate says.
    Room("edge.grants", "edge.faults edge.record edge.gate.grants", late=PURE_LATE),
    Room("edge.approve", "edge.faults edge.record edge.call", late=PURE_LATE),
    # Its fences need chance that nobody can guess: os.urandom.
    Room("edge.context", WORDS + " edge.compact", "os", PURE_LATE),
    Room(
        "edge.config edge.config_keys edge.config_profiles",
        "edge.faults edge.record edge.schema edge.gate.* edge.locales edge.toml edge.config_board edge.config_keys "
        "edge.config_profiles",
        "os posix",
        PURE_LATE,
    ),
    # The board's tables: what they say is checked here, what is there the guard says.
    Room(
        "edge.config_board",
        "edge.faults edge.record edge.call edge.schema edge.config_names edge.config_sensors edge.config_ports "
        "edge.peripherals.guard edge.peripherals.guard.owned edge.peripherals.guard.wiring",
        "os",
        PURE_LATE,
    ),
    Room(
        "edge.config_sensors",
        "edge.faults edge.record edge.call edge.peripherals.sensors.quantities edge.peripherals.sensors.table",
    ),
    Room("edge.config_ports", "edge.faults edge.call", "os"),
    Room("edge.config_names", "edge.faults edge.call edge.peripherals.guard.interlock"),
    # One encoder for the two that write JSON all the time; the private module has a public one behind it.
    Room("edge.compact", late=PURE_LATE + " _json"),
    # SHA-256 is Python's own, for hashlib loads OpenSSL.
    Room("edge.sha", late=PURE_LATE + " _sha2 _sha256 sys"),
    Room("edge.toml", "edge.faults", calls="__import__"),  # tomllib where Python has it, else tomli, else neither
    # Records, macs and receipts are text and arithmetic; receipts are found in an answer by one pattern.
    Room("edge.tape.audit_form", "edge.faults edge.text edge.compact edge.sha", late=PURE_LATE + " re"),
    # What is remembered: tables of Unicode for comparing words, the index in SQLite where Python has it.
    Room(
        "edge.tape.memory edge.tape.memory_file edge.tape.memory_index edge.tape.memory_words",
        WORDS + " edge.compact edge.tape.*",
        "binascii os",
        PURE_LATE + " sqlite3 unicodedata",
    ),
    # A record carries four clocks and a checksum; leftovers ends what a dead run left behind.
    Room("edge.tape.leftovers", WORDS + " edge.tape.*", "os time", PURE_LATE + " signal"),
    Room(
        "edge.tape.*",
        WORDS + " edge.compact edge.tape.*",
        "_thread binascii errno os time",
        PURE_LATE + " fcntl collections",
    ),
    # --- the card: what a board starts from ---
    # Places, records, arithmetic and texts; checksums of the boot state are U-Boot's.
    Room("edge.card.layout edge.card.state", "edge.record edge.card.layout", late=PURE_LATE + " binascii"),
    Room("edge.card.mbr", "edge.faults edge.record"),
    Room("edge.card.ed25519", "edge.faults", late=PURE_LATE),
    Room(
        "edge.card.manifest edge.card.bundle",
        "edge.faults edge.record edge.card edge.card.ed25519 edge.card.manifest",
        late=PURE_LATE,
    ),
    Room("edge.card.fat", "edge.faults"),
    # The card as it is: a device or a file, read and written at places.
    Room(
        "edge.card.slots",
        "edge.faults edge.record edge.card edge.card.boot edge.card.fat edge.card.layout edge.card.mbr "
        "edge.card.places edge.card.state edge.tape.disk",
        "os",
        PURE_LATE + " contextlib fcntl",
    ),
    Room(
        "edge.card.update",
        "edge.faults edge.record edge.card edge.card.bundle edge.card.layout edge.card.manifest edge.card.pairs "
        "edge.card.places edge.card.state",
        late=PURE_LATE,
    ),
    # What a person asks of a board, as text: checks of names and addresses, and of settings by the code that reads
    # them, which reads files.
    Room(
        "edge.card.asked edge.card.cloud edge.card.names edge.card.provision_toml edge.card.provision_plan "
        "edge.card.sha_crypt edge.card.toml_text edge.card.written edge.card.yaml edge.card.zones",
        "edge.faults edge.record edge.schema edge.config_keys edge.toml edge.card edge.card.asked edge.card.hidden "
        "edge.card.names edge.card.provision_toml edge.card.provision_settings edge.card.sha_crypt edge.card.toml_text "
        "edge.card.written edge.card.yaml edge.card.zones",
        late=PURE_LATE + " ipaddress os re",
    ),
    Room("edge.card.hidden", "edge.redact"),
    Room("edge.card.provision_settings", "edge.faults edge.config edge.card edge.card.toml_text", late="os tempfile"),
    # Files of the first partition and of the data partition; that one is mounted by the program that mounts.
    Room(
        "edge.card.first edge.card.provision_disk edge.card.provisioning edge.card.status",
        "edge.faults edge.record edge.redact edge.toml edge.card.*",
        "os",
        PURE_LATE,
        "open",
    ),
    # The data partition: its entry in the table, and the kernel told of it.
    Room(
        "edge.card.grow",
        "edge.faults edge.record edge.card edge.card.layout edge.card.mbr",
        "os",
        "array fcntl stat struct",
    ),
    # /data: made, looked over and mounted by the system's programs; its backup is a tar.
    # One agent is started and its answer waited for; TLS says what certificates it knows.
    Room(
        "edge.card.health",
        "edge.faults edge.record edge.toml edge.tape.disk edge.card edge.card.boot edge.card.hidden edge.card.programs",
        "os",
        "shutil ssl time",
    ),
    Room("edge.card.locks", "", "", "errno fcntl time"),
    Room("edge.card.packing", "edge.faults", "os", "contextlib gzip lzma zlib"),
    Room("edge.card.boot", "edge.text edge.tape.disk edge.card edge.card.pairs edge.card.places", "os", "errno"),
    Room("edge.card.pairs edge.card.places"),
    Room("edge.card.programs", late="subprocess"),
    Room("edge.card.addresses", "edge.card edge.card.programs"),
    # Time by a question over the network.
    Room("edge.card.clock", "edge.tape.disk", "os socket time"),
    Room(
        "edge.card.archive edge.card.restore",
        "edge.faults edge.record edge.card.archive edge.card.locks",
        "os",
        PURE_LATE + " shutil tarfile",
    ),
    Room(
        "edge.card.prepare",
        "edge.faults edge.record edge.card edge.card.boot edge.card.grow edge.card.layout edge.card.mbr "
        "edge.card.places edge.card.programs edge.card.restore edge.card.state edge.tape.disk",
        "os",
        "shutil",
    ),
    Room("edge.card"),
    # --- the supervisor: as small as the guard, and of the guard what asks it and what ends a process ---
    Room("edge.supervise.liveness", "edge.record"),
    Room("edge.supervise"),
    Room(
        "edge.supervise.*",
        "edge.faults edge.record edge.peripherals.guard.door edge.peripherals.guard.ending edge.supervise.*",
        "_socket errno posix select sys time",
        PURE_LATE + " fcntl",
    ),
    # --- the rim ---
    # What a hand may use grows with what hands can touch; ctypes, socket, ssl and subprocess are for here alone.
    # openat2 and renameat2 have no other way from Python than a system call by its number.
    Room(
        "edge.hands.adding edge.hands.blocks edge.hands.files edge.hands.guard edge.hands.lines edge.hands.listing "
        "edge.hands.looks edge.hands.moving edge.hands.open edge.hands.reading edge.hands.remove edge.hands.trash "
        "edge.hands.walk edge.hands.way",
        WORDS + " edge.gate.* edge.hands.*",
        "errno os time",
        PURE_LATE + " contextlib ctypes difflib",
    ),
    # A folder is locked for the moment in which one file takes the place of another.
    Room("edge.hands.replace", WORDS + " edge.hands.*", "errno os", PURE_LATE + " contextlib fcntl time"),
    # A file that comes from afar is locked while it grows; dates tell its versions apart.
    Room(
        "edge.hands.incoming",
        "edge.faults edge.hands.open edge.hands.replace",
        "os",
        PURE_LATE + " contextlib email.utils fcntl",
    ),
    # One request: names, sockets, packing. Its connection is the models' (deadline, bounds) with addresses pinned.
    Room(
        "edge.hands.net edge.hands.net_body edge.hands.net_exchange edge.hands.net_line edge.hands.net_proxy "
        "edge.hands.net_resolve edge.hands.net_save",
        WORDS + " edge.gate.* edge.hands.* edge.model.link edge.model.tls",
        "_thread errno http.client os socket time zlib",
        PURE_LATE,
    ),
    # The wall: system calls by number, processes and their limits, one thread for each start.
    Room(
        "edge.hands.child edge.hands.jobs edge.hands.run edge.hands.spool edge.hands.wall.*",
        WORDS + " edge.gate.* edge.hands.*",
        "_socket _thread codecs ctypes errno gc marshal os re resource select signal stat struct sys time",
        PURE_LATE + " atexit fcntl mmap pwd",
        "open",
    ),
    # The end of a thread's work, for who waits for it.
    Room("edge.hands.ended", head="_thread"),
    # Whether a package could be imported is asked without importing it.
    Room("edge.hands.needs", head="os", late="_frozen_importlib_external"),
    Room("edge.hands.catalogue", WORDS + " edge.catalogue edge.hands.*"),
    # A folder of any size is looked at in parts.
    Room("edge.hands.below edge.hands.tree", WORDS + " edge.gate.* edge.hands.*", "errno itertools os time"),
    # Facts of the board: texts of the kernel, its own answers (adjtimex, syslog, netlink), the journal's packing.
    Room(
        "edge.hands.facts edge.hands.facts_clock edge.hands.facts_disk edge.hands.facts_kernel edge.hands.facts_log "
        "edge.hands.facts_logs edge.hands.facts_net edge.hands.facts_netlink edge.hands.facts_power "
        "edge.hands.facts_process edge.hands.facts_reader edge.hands.facts_service edge.hands.facts_system "
        "edge.hands.facts_usage edge.hands.facts_words edge.hands.journal edge.hands.journal_file "
        "edge.hands.journal_unpack edge.hands.zstd edge.hands.zstd_tables",
        WORDS + " edge.gate.* edge.hands.*",
        "os time",
        PURE_LATE + " _thread ctypes lzma socket sys",
    ),
    # A repository: objects are packed by zlib, named by SHA-1; dulwich reads what stands inside of them, where it is.
    Room(
        "edge.hands.repo edge.hands.repo_change edge.hands.repo_folder edge.hands.repo_form "
        "edge.hands.repo_history edge.hands.repo_ignore edge.hands.repo_index edge.hands.repo_names "
        "edge.hands.repo_objects edge.hands.repo_open edge.hands.repo_pack edge.hands.repo_refs "
        "edge.hands.repo_settings edge.hands.repo_stash edge.hands.repo_status edge.hands.repo_trees "
        "edge.hands.repo_write",
        WORDS + " edge.gate.* edge.hands.*",
        "binascii errno os time",
        PURE_LATE + " contextlib heapq zlib",
        "__import__",
    ),
    # What is remembered is opened when it is first asked for.
    Room("edge.hands.memory", WORDS + " edge.gate.* edge.hands.* edge.tape.memory edge.tape.memory_words", "time"),
    # A line of a chip is looked at, and waited for.
    Room("edge.hands.gpio", WORDS + " edge.gate.lines edge.hands.* edge.peripherals.gpiochip.*", "select time"),
    # A serial port: a thread that reads it, a bounded store, a wait with a deadline.
    Room(
        "edge.hands.port edge.hands.ports edge.hands.received",
        WORDS + " edge.hands.* edge.peripherals.port.opening edge.peripherals.port.ttys",
        "_thread time",
    ),
    # Who the board is and what its lines are: a survey that takes none of them.
    Room(
        "edge.hands.board",
        WORDS + " edge.hands.* edge.peripherals.boards.*",
        "os",
        PURE_LATE,
    ),
    # A sensor is the guard's, the kernel's or at a bus.
    Room("edge.hands.sensors", WORDS + " edge.hands.* edge.peripherals.sensors.*"),
    # The time of a call begins with its hands.
    Room("edge.hands.*", WORDS + " edge.gate.* edge.hands.*", "os time", PURE_LATE + " _thread"),
    # Which header fields a caller may set is asked before anybody is asked to allow them.
    # Where the links of a page lead is read from its text, as the gate does.
    Room(
        "edge.tools.http_request edge.tools.web_fetch",
        "edge.tool edge.call edge.faults edge.text edge.record edge.gate.fields edge.gate.urls edge.tools.web_answer",
    ),
    # What came, as text for a model: encodings, JSON by its structure, pages as Markdown.
    Room(
        "edge.tools.web_answer edge.tools.web_body edge.tools.web_json edge.tools.web_page edge.tools.web_table "
        "edge.tools.web_tags",
        "edge.call edge.text edge.record edge.tools.web_body edge.tools.web_json edge.tools.web_page "
        "edge.tools.web_table edge.tools.web_tags",
        late=PURE_LATE + " html",
    ),
    # What several file tools are made of: exact replacing, the difference in words, patches. Text in, text out.
    Room(FILE_TOOLS, "edge.tool edge.call edge.faults edge.text edge.record " + FILE_PARTS, late=PURE_LATE),
    # Patterns of names become patterns of `re` that cannot take long, whatever the name.
    Room("edge.tools.glob_names", "edge.faults", late="re"),
    # What was packed is searched too: a log that was rotated.
    Room("edge.tools.grep_packed", "edge.faults", late="bz2 lzma zlib"),
    Room(
        "edge.tools.glob edge.tools.grep edge.tools.grep_scan edge.tools.grep_show edge.tools.search_said",
        "edge.tool edge.call edge.faults edge.text edge.record edge.regex edge.tools.glob_names edge.tools.grep_packed "
        "edge.tools.grep_scan edge.tools.grep_show edge.tools.search_said edge.regex.* edge.gate.paths",
        late=PURE_LATE,
    ),
    # How facts of the board stand in a text: sizes and columns, a header as a drawing.
    Room(
        "edge.tools.board_drawing edge.tools.board_info "
        "edge.tools.disk_usage edge.tools.fact_text edge.tools.log_read edge.tools.net_info edge.tools.process_list "
        "edge.tools.service_status edge.tools.system_info",
        "edge.tool edge.call edge.faults edge.text edge.tools.board_drawing edge.tools.calendar_day "
        "edge.tools.fact_text",
        late=PURE_LATE,
    ),
    # Which line is meant is asked before anybody is asked to allow it; outputs and contacts are told alike everywhere.
    Room(
        "edge.tools.gpio_read edge.tools.gpio_watch edge.tools.gpio_write edge.tools.line_text "
        "edge.tools.output_list edge.tools.output_pulse edge.tools.output_pwm edge.tools.output_set "
        "edge.tools.sensor_read",
        "edge.tool edge.call edge.faults edge.text edge.record edge.gate.lines edge.tools.line_text",
    ),
    # Serial ports in words; what is looked for in what came is a model's pattern.
    Room(
        "edge.tools.port_text edge.tools.serial_close edge.tools.serial_expect edge.tools.serial_open "
        "edge.tools.serial_send",
        "edge.tool edge.call edge.faults edge.text edge.regex edge.tools.port_text",
    ),
    Room("edge.tools.calendar_day", ""),
    Room("edge.tools.file_list", "edge.tool edge.call edge.tools.calendar_day"),
    # Lines in, entries out; imported when a file is outlined.
    Room("edge.tools.outline", "edge.tool edge.call edge.faults edge.tools.outlines.*"),
    Room("edge.tools.outlines.*", "edge.record edge.tools.outlines.*"),
    # What a repository told, in git's own short forms; differences line by line.
    Room(
        "edge.tools.git_lines edge.tools.git_operations edge.tools.git_text",
        "edge.tool edge.call edge.faults edge.tools.calendar_day edge.tools.git_lines edge.tools.git_text",
    ),
    # Arithmetic with units: exact numbers of the standard library.
    Room(
        "edge.tools.calc edge.tools.calc.*",
        "edge.faults edge.record edge.tools.calc edge.tools.calc.*",
        "fractions math",
        "decimal difflib",
    ),
    Room("edge.tools.calculator", WORDS + " edge.tools.calc.*", late="fractions"),
    Room("edge.tools.*", "edge.tool edge.call edge.faults edge.text edge.record edge.regex", late=PURE_LATE),
    # Parts and circuits are arithmetic, the protocol is bytes: no clock but the one that is handed in. Of the guard a
    # world uses its JSON and its grammar of conditions.
    Room(
        SIM,
        "edge.faults edge.record edge.call edge.peripherals.guard.interlock edge.peripherals.guard.line " + SIM,
        "math",
        PURE_LATE,
    ),
    Room(GUARD, "edge.faults edge.record edge.call " + GUARD, late=PURE_LATE),
    Room("edge.peripherals"),
    # Lines of GPIO chips: numbers and bytes, and the five calls of the seam. The guard runs without `os`, by `posix`.
    Room(
        "edge.peripherals.gpiochip edge.peripherals.gpiochip.chip edge.peripherals.gpiochip.find "
        "edge.peripherals.gpiochip.request edge.peripherals.gpiochip.seam edge.peripherals.gpiochip.trouble "
        "edge.peripherals.gpiochip.uapi",
        "edge.faults edge.record edge.peripherals.gpiochip.*",
        "errno posix sys",
        PURE_LATE + " fcntl",
    ),
    # The model of chips: a pipe for each line, a thread for each level that has to stay, a socket for other processes.
    Room(
        "edge.peripherals.gpiochip.*",
        "edge.faults edge.record edge.peripherals.gpiochip.* edge.peripherals.guard.line",
        "_socket _thread errno os posix select sys time",
        PURE_LATE + " fcntl stat",
    ),
    # Facts of boards as data: headers, reserved lines, revision codes. Whoever asks hands in what reads a file.
    # What lines there are is asked by the two requests that change nothing.
    Room(
        "edge.peripherals.boards.survey",
        "edge.faults edge.record edge.peripherals.boards.* edge.peripherals.gpiochip.*",
    ),
    Room("edge.peripherals.boards edge.peripherals.boards.*", "edge.record edge.peripherals.boards.*"),
    # Attributes of the kernel's devices. The double of the files has numbers of errors and no file.
    Room("edge.peripherals.sysfs.files", late="fcntl", head="posix"),
    Room("edge.peripherals.sysfs.double edge.peripherals.sysfs.model", head="errno os"),
    Room("edge.peripherals.sysfs edge.peripherals.sysfs.*", "edge.faults edge.record edge.peripherals.sysfs.*"),
    # Sensors: texts of the kernel's tree and registers of a bus, both handed in. How old a value is, a clock says; a
    # bus that is locked is waited for.
    Room("edge.peripherals.bus", "edge.faults edge.peripherals.via.i2c", "time"),
    Room(
        "edge.peripherals.sensors edge.peripherals.sensors.*",
        "edge.faults edge.record edge.call edge.peripherals.bus edge.peripherals.sensors.* "
        "edge.peripherals.sysfs.files",
        "time",
    ),
    # What is wired where, on chips and channels: no clock, no file but through those.
    Room("edge.peripherals.guard.wiring", "edge.peripherals.boards.header edge.peripherals.boards.reserved"),
    Room(
        "edge.peripherals.guard.channels edge.peripherals.guard.held edge.peripherals.guard.lines",
        "edge.faults edge.record edge.call edge.peripherals.gpiochip.* edge.peripherals.guard.* "
        "edge.peripherals.sysfs.*",
    ),
    Room("edge.peripherals.via.i2c", "edge.faults", late="fcntl smbus2"),
    # Serial ports: what the kernel tells of a device before it is opened; a double that has no device.
    Room("edge.peripherals.port.model", head="_thread errno time"),
    Room("edge.peripherals.port.ttys", "edge.record", "os"),
    Room(
        "edge.peripherals.port edge.peripherals.port.opening",
        "edge.faults edge.call edge.peripherals.port.* edge.peripherals.via.port",
        "errno os",
    ),
    # pyserial, imported when a port is opened.
    Room("edge.peripherals.via.port", "edge.call", "errno os select time", "fcntl serial termios"),
    # Programs with gpiozero import it; it alone imports gpiozero. Which lines are the guard's, the settings say, found
    # and read as the command line does.
    Room(
        "edge.peripherals.via edge.peripherals.via.*",
        "edge.faults edge.record edge.call edge.cli.board edge.cli.settle edge.config edge.peripherals.boards.* "
        "edge.peripherals.gpiochip.* edge.peripherals.sysfs.* edge.peripherals.via.*",
        "errno gpiozero gpiozero.compat gpiozero.pins.local gpiozero.pins.pi math os select threading time warnings",
        PURE_LATE,
        "open",
    ),
    # One file that loop, hands and board look at; read by the guard's own JSON, which the board has loaded anyway.
    Room("edge.stop", "edge.faults edge.record edge.peripherals.guard.line", "posix", PURE_LATE + " fcntl time"),
    Room(
        "edge.peripherals.guard.* edge.peripherals.sim.*",
        "edge.faults edge.record edge.call edge.text edge.stop edge.peripherals.guard.* edge.peripherals.sim.* "
        "edge.peripherals.gpiochip.* edge.peripherals.sysfs.*",
        "_signal _socket _thread fcntl os posix select sys time",
        PURE_LATE + " gc",
        "open",
    ),
    # Words and grammar of the built-in planner: text and results in, text and steps out.
    Room(PLANNER + " edge.model.direct", WORDS + " edge.model " + PLANNER, late=PURE_LATE),
    Room("edge.model.offline", WORDS + " edge.model " + PLANNER, late=PURE_LATE + " time"),
    # It reads its script.
    Room("edge.model.scripted", WORDS + " edge.model edge.model.cut", "json", PURE_LATE, "open"),
    # The key goes from the settings to the back end by no record: asked for where the back end is made.
    Room("edge.model", WORDS + " edge.config edge.model.*", "os", PURE_LATE),
    # What stands on the wire, as text: addresses, heads, events, pieces of a reply, refusals, how long to wait.
    Room(WIRE_TEXT, "edge.faults edge.record edge.text edge.model", late=PURE_LATE + " re email.utils"),
    # It speaks by way of the wire and opens nothing itself.
    Room(
        "edge.model.chat",
        WORDS + " edge.catalogue edge.step edge.model edge.model.cut edge.model.wire " + WIRE_TEXT,
        "time",
        PURE_LATE + " _thread random",
    ),
    # The one HTTP client: the socket behind it, TLS, and how another thread ends it.
    Room(
        "edge.model.cut edge.model.link edge.model.tls edge.model.wire",
        "edge.faults edge.model.head edge.model.link edge.model.tls",
        "io os time",
        PURE_LATE + " _thread errno http.client select socket ssl",
    ),
    # Questions over a local socket, answered by a thread of their own: sockets and threads only at the first question.
    Room(
        "edge.approvals.*",
        "edge.faults edge.record edge.text edge.call edge.approve edge.approvals.*",
        "os time",
        PURE_LATE + " _thread socket struct",
    ),
    # --- the shell around it all ---
    # `threading` only where an old Python would take a job's thread for the main one.
    Room("edge.jobs edge.pulse", "", "time", "_queue _thread sys threading"),
    # Signs of life go out by the words that the guard has for its own supervisor.
    Room("edge.vitals", "edge.peripherals.guard.notify", "time", "_thread"),
    # Marks of untrusted words are files of the state folder.
    Room("edge.taint", "", "os", PURE_LATE),
    Room("edge.keeping", "edge.faults edge.call", late=PURE_LATE),
    Room("edge.talk", CORE + " edge.model", "time", PURE_LATE),
    Room("edge.lasting", late=PURE_LATE),
    Room(
        "edge.calls",
        CORE + " edge.approve edge.hands edge.keeping edge.lasting edge.parts",
        "time",
        PURE_LATE + " collections",
    ),
    Room(
        "edge.loop",
        CORE + " edge.calls edge.jobs edge.keeping edge.model edge.parts edge.talk edge.watch",
        "time",
        PURE_LATE + " _thread",
    ),
    Room("edge.cli.ahead", "", "fcntl posix select termios"),
    Room(
        "edge.cli.*",
        CORE + " edge edge.approvals.* edge.approve edge.brief edge.card.* edge.catalogue edge.cli.* edge.config "
        "edge.config_board edge.config_keys edge.context edge.grants edge.hands.* edge.jobs edge.locales edge.loop "
        "edge.model.* edge.parts edge.peripherals.* edge.pulse edge.redact edge.stop edge.supervise.* edge.taint "
        "edge.tape.* edge.toml edge.vitals edge.watch",
        "_signal os posix select signal sys termios time",
        PURE_LATE + " _queue _thread importlib.metadata importlib.util pwd readline shlex shutil",
        "input",
    ),
    Room("edge"),
    Room("edge.__main__", "edge.cli", "os sys"),
)

# Dear to import, and each has a cheaper way here (records, plain strings, annotations that never run).
NEVER = ("typing", "typing_extensions", "dataclasses", "enum", "logging", "argparse", "pathlib", "asyncio")
IMPURE_CALLS = ("open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint")
EXITS = ("print", "input", "exit", "quit", "breakpoint")
# The command line; the way in; the processes of the board and of the model of chips; those of the wall, which end
# themselves.
MAY_EXIT = (
    "edge.cli.*",
    "edge.__main__",
    "edge.peripherals.gpiochip.server",
    "edge.peripherals.guard.process",
    "edge.hands.wall.acts",
    "edge.hands.wall.first",
)

TREE = sources()
KNOWN = frozenset(source.module for source in TREE)


def fits(module: str, patterns: str) -> bool:
    """True when one of the patterns names the module."""
    for pattern in patterns.split():
        if module == pattern or (pattern.endswith(".*") and f"{module}.".startswith(pattern[:-1])):
            return True
    return False


def room_of(module: str) -> Room | None:
    """The first room that has the module."""
    return next((room for room in ROOMS if fits(module, room.modules)), None)


def allowed(item: Import, room: Room) -> bool:
    """True when a module of the room may have this import."""
    if item.module == "__future__":
        return True
    if item.module.split(".")[0] == "edge":
        return fits(item.module, room.ours)
    return fits(item.module, room.head) or (item.late and fits(item.module, room.late))


def strangers(source: Source) -> list[str]:
    """The imports that the table does not allow, as sentences."""
    room = room_of(source.module)
    if room is None:
        return [f"{source.path}: {source.module} has no room in the table of test_layers.py"]
    return [
        f"{source.path}:{item.line}: {source.module} may not import {item.module}"
        + ("" if item.late else " at the head of the file")
        for item in imports(source.text, KNOWN)
        if not allowed(item, room)
    ]


def called(text: str, names: tuple[str, ...]) -> list[tuple[str, int]]:
    """The calls of these plain names that can run, with their lines."""
    return sorted(
        (node.func.id, node.lineno)
        for node, _ in running_nodes(text)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    )


def impure(source: Source) -> list[str]:
    """Where a module does what rule 4 forbids."""
    room = room_of(source.module)
    may = room.calls.split() if room else []
    found = called(source.text, tuple(name for name in IMPURE_CALLS if name not in may))
    return [f"{source.path}:{line}: {name}() is not for {source.module}" for name, line in found]


def exits(source: Source) -> list[str]:
    """Where a module prints or ends the process although it may not."""
    if fits(source.module, " ".join(MAY_EXIT)):
        return []
    found = [f"{source.path}:{line}: {name}()" for name, line in called(source.text, EXITS)]
    for node, _ in running_nodes(source.text):
        dotted = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if dotted in ("sys.exit", "os._exit", "os.abort", "sys.stdout", "sys.stderr"):
            found.append(f"{source.path}:{node.lineno}: {dotted}")
        if isinstance(node, ast.Name) and node.id == "SystemExit":
            found.append(f"{source.path}:{node.lineno}: SystemExit")
    return found


def private_touches(source: Source) -> list[str]:
    """Where a tool reaches for a private attribute of something else: the way round its hands."""
    if not source.module.startswith("edge.tools"):
        return []
    return [
        f"{source.path}:{node.lineno}: .{node.attr}"
        for node, _ in running_nodes(source.text)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        # What a class keeps for itself is its own.
        and not (isinstance(node.value, ast.Name) and node.value.id == "self" and not node.attr.startswith("__"))
    ]


def idle(rooms: tuple[Room, ...], tree: list[Source]) -> list[str]:
    """Allowances that no module of their room uses, the pure modules aside."""
    found = []
    for room in rooms:
        inside = [source for source in tree if room_of(source.module) is room]
        used = [item for source in inside for item in imports(source.text, KNOWN)]
        for name in room.head.split():
            if not any(item.module == name and not item.late for item in used):
                found.append(f"{room.modules}: nobody imports {name} at the head of a file")
        for name in set(room.late.split()) - set(PURE_LATE.split()):
            if not any(item.module == name for item in used):
                found.append(f"{room.modules}: nobody imports {name}")
        for name in room.calls.split():
            if not any(called(source.text, (name,)) for source in inside):
                found.append(f"{room.modules}: nobody calls {name}()")
    return found


def dear(source: Source) -> list[str]:
    """Imports of what is never imported at run time."""
    return [
        f"{source.path}:{item.line}: {item.module}"
        for item in imports(source.text, KNOWN)
        if item.module.split(".")[0] in NEVER
    ]


def tools_named(source: Source) -> list[str]:
    """Imports of a tool from outside the tools."""
    return [
        f"{source.path}:{item.line}: {item.module}"
        for item in imports(source.text, KNOWN)
        if fits(item.module, "edge.tools.*") and not fits(source.module, "edge.tools.*")
    ]


def everywhere(check: Callable[[Source], list[str]]) -> list[str]:
    return [sentence for source in TREE for sentence in check(source)]


def test_every_import_is_in_the_table() -> None:
    none_of(everywhere(strangers))


def test_the_table_names_only_modules_that_exist() -> None:
    named = {pattern for room in ROOMS for pattern in f"{room.modules} {room.ours}".split()}
    none_of([f"{pattern}: no such module" for pattern in sorted(named) if pattern.replace(".*", "") not in KNOWN])


def test_the_table_allows_no_module_of_the_library_that_nobody_there_needs() -> None:
    none_of(idle(ROOMS, TREE))


def test_dear_modules_are_imported_nowhere_at_run_time() -> None:
    none_of(everywhere(dear))


def test_no_room_opens_prints_or_runs_text_unless_its_row_says_so() -> None:
    none_of(everywhere(impure))


def test_only_the_command_line_prints_or_exits() -> None:
    none_of(everywhere(exits))


def test_tools_touch_nothing_private() -> None:
    none_of(everywhere(private_touches))


def test_nobody_imports_a_tool_but_the_registry_by_its_strings() -> None:
    none_of(everywhere(tools_named))


# --- the checks can fail ---

VIOLATIONS = [
    ("edge.faults", "import os", "edge.faults may not import os at the head"),
    ("edge.gate.rules", "import os", "may not import os"),
    ("edge.gate.rules", "def f():\n    import socket", "may not import socket"),
    ("edge.gate.rules", "import json", "may not import json at the head"),
    ("edge.gate.rules", "from edge.turn import advance", "may not import edge.turn"),
    ("edge.step", "import re", "may not import re at the head"),
    ("edge.step", "from edge import gate", "may not import edge.gate"),
    ("edge.turn", "import time", "may not import time"),
    ("edge.newcomer", "import subprocess", "has no room"),
    ("edge.tools.file_read", "import subprocess", "may not import subprocess"),
    ("edge.tools.file_read", "from edge.hands import Hands", "may not import edge.hands"),
    ("edge.tools.file_read", "from . import file_write", "may not import ."),
    ("edge.hands.files", "def f():\n    import httpx", "may not import httpx"),
    ("edge.peripherals.sim.parts", "import time", "may not import time"),
    ("edge.peripherals.sim.parts", "from edge.peripherals.guard import wire", "import edge.peripherals.guard.wire"),
    ("edge.peripherals.guard.process", "from edge.tape.journal import Tape", "may not import edge.tape.journal"),
    ("edge.model.planner", "def f():\n    import socket", "may not import socket"),
    ("edge.model.offline", "def f():\n    import os", "may not import os"),
    ("edge.model.chat", "def f():\n    from edge.config import read_key", "may not import edge.config"),
    ("edge.model.chat", "def f():\n    import socket", "may not import socket"),
    ("edge.model.wire", "import http.client", "may not import http.client at the head"),
    ("edge.model.sse", "def f():\n    import http.client", "may not import http.client"),
    ("edge.loop", "from edge.cli import put", "may not import edge.cli"),
    ("edge.loop", "import subprocess", "may not import subprocess"),
    ("edge.cli.repl", "import images", "may not import images"),
    ("edge.config", "import tomllib", "may not import tomllib at the head"),
    ("edge.config", "def f():\n    import tomllib", "may not import tomllib"),
    ("edge.loop", "try:\n    import uvloop\nexcept ImportError:\n    pass", "may not import uvloop"),
    ("edge.call", "class A:\n    import os", "may not import os at the head"),
    ("edge.call", "if TYPE_CHECKING:\n    pass\nelse:\n    import typing", "may not import typing"),
]


@pytest.mark.parametrize(("module", "text", "sentence"), VIOLATIONS, ids=[f"{m}-{t[:24]!r}" for m, t, _ in VIOLATIONS])
def test_a_forbidden_import_is_found(module: str, text: str, sentence: str) -> None:
    found = strangers(Source(module, "x.py", text))
    assert len(found) == 1 and sentence in found[0]


def test_what_never_runs_does_not_count() -> None:
    text = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import socket\n    from typing import Any\n"
    assert strangers(Source("edge.call", "x.py", text)) == []


def test_an_allowance_that_nobody_uses_is_found() -> None:
    assert idle(ROOMS, []) != []
    unused = idle(ROOMS, [source for source in TREE if source.module != "edge.registry"])
    assert "edge.registry: nobody calls __import__()" in unused


def test_an_impure_call_an_exit_and_a_private_touch_are_found() -> None:
    assert impure(Source("edge.gate.rules", "x.py", "def f():\n    return open('/etc/hosts')"))
    assert impure(Source("edge.tools.file_read", "x.py", "eval('1')"))
    assert impure(Source("edge.loop", "x.py", "__import__('edge.tools.recall')"))
    assert impure(Source("edge.hands.files", "x.py", "open('x')"))
    assert not impure(Source("edge.peripherals.guard.spawn", "x.py", "open('x')"))
    assert exits(Source("edge.loop", "x.py", "print('x')"))
    assert exits(Source("edge.model", "x.py", "import sys\nsys.exit(1)"))
    assert exits(Source("edge.tape.disk", "x.py", "raise SystemExit(1)"))
    assert not exits(Source("edge.cli.repl", "x.py", "print('x')"))
    assert dear(Source("edge.cli.repl", "x.py", "def f():\n    import dataclasses"))
    assert tools_named(Source("edge.loop", "x.py", "def f():\n    from edge.tools import recall"))
    assert private_touches(Source("edge.tools.file_read", "x.py", "def run(args, hands):\n    hands._holder.world"))
