"""What the built-in planner understands, as data: words, and sentence patterns over them.

Rules:
1. A pattern must take every word of its clause, or it does not fit: what is not here is not understood.
2. In a pattern: `a|b` one of these words, `?` it may be absent, capitals a slot:
   SENSOR SENSORS OUTPUTS   declared things by name, label or declared word (SENSORS, OUTPUTS: several, or all);
             a sensor's place may follow
   SAME      more words for the SENSOR beside it ("how wet is the SOIL", "is the AIR humid")
   PLACE     "here", or "in the ..." with words of that sensor's own label
   SUBJECT   a SENSOR, or "it" for the last one     STATE   on, off     FOR   a duration, "for" may be absent
   TEST      a comparison with a value              WARMER  "warmer than" and a value
   PATH      a file's or folder's path              DOTTED  a path that shows it is one (`notes.txt`, `logs/today`)
   USE       a declared word of an output that says what it does ("water the plants")
3. The words a sensor or output answers to are declared by the board. Nothing here names a device.
4. No word that denies, asks or puts off may become a filler.
"""

from __future__ import annotations


def _each(words: str) -> tuple[str, ...]:
    return tuple(words.split())


# Left out wherever they stand alone.
FILLERS = frozenset(
    _each(
        "the please kindly now my our me us current currently still just right also okay ok hey hi hello fieldhand "
        "thanks"
    )
)

CONTRACTIONS = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "hows": ("how", "is"),
    "isnt": ("is", "not"),
    "let's": ("let", "us"),
    "shan't": ("shall", "not"),
    "whats": ("what", "is"),
    "won't": ("will", "not"),
}
TAILS = {"s": "is", "re": "are", "ll": "will", "ve": "have", "d": "would", "m": "am"}

JOINERS = ("and", "then", "but")
IFS = ("if", "when")
ELSES = (("otherwise",), ("or", "else"), ("else",), ("if", "not"))
NEGATIONS = (("do", "not"), ("never",), ("not",))

# Words that ask for another time than now. Looked for only in what was not understood, to say why.
WAITING = frozenset(
    _each(
        "after again always as before daily day days during each every forever hourly keep later midnight minutely "
        "monday month morning night nightly noon once repeat repeatedly schedule soon sunday sunrise sunset tomorrow "
        "tonight tuesday wednesday thursday friday saturday until wait weekly week when whenever while yesterday"
    )
)
WAITING_PAIRS = frozenset((("at", "#"), ("in", "#"), ("in", "a"), ("in", "an"), ("from", "#")))
# Words that no name of a thing holds.
LINKS = frozenset(
    _each(
        "and or then but not never no otherwise else if when for to in of at on off is are than without except unless"
    )
)
ASKING = frozenset(_each("should could would can may will shall why when who where must"))

NUMBERS = {
    word: float(value)
    for value, word in enumerate(
        _each(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
NUMBERS.update(
    (word, 10.0 * tens)
    for tens, word in enumerate(_each("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
)
POWERS = {"hundred": 100.0, "thousand": 1000.0}

_SPANS = {
    1.0: "s sec secs second seconds",
    60.0: "m min mins minute minutes",
    3600.0: "h hr hrs hour hours",
    86400.0: "d day days",
}
DURATIONS = {word: seconds for seconds, words in _SPANS.items() for word in words.split()}
FRACTIONS = (
    (("half", "an"), 0.5),
    (("half", "a"), 0.5),
    (("a", "quarter", "of", "an"), 0.25),
    (("quarter", "of", "an"), 0.25),
    (("three", "quarters", "of", "an"), 0.75),
)

DEGREES = ("degrees", "degree", "deg", "\u00b0")
_UNITS = {
    "C": "c celsius centigrade \u2103",
    "F": "f fahrenheit \u2109",
    "K": "k kelvin",
    "%": "% percent",
    "lux": "lux lx",
    "V": "v volt volts",
    "W": "w watt watts",
    "A": "amp amps ampere amperes",
    "Hz": "hz hertz",
    "hPa": "hpa mbar",
    "Pa": "pa pascal",
    "bar": "bar bars",
    "ppm": "ppm",
    "l": "litre litres liter liters",
}
UNITS = {word: name for name, words in _UNITS.items() for word in words.split()}

# Longest first: the first that fits is taken.
COMPARISONS = (
    (("greater", "than", "or", "equal", "to"), ">="),
    (("less", "than", "or", "equal", "to"), "<="),
    (("no", "less", "than"), ">="),
    (("no", "more", "than"), "<="),
    (("greater", "than"), ">"),
    (("higher", "than"), ">"),
    (("larger", "than"), ">"),
    (("more", "than"), ">"),
    (("less", "than"), "<"),
    (("lower", "than"), "<"),
    (("smaller", "than"), "<"),
    (("fewer", "than"), "<"),
    (("at", "least"), ">="),
    (("at", "most"), "<="),
    (("above",), ">"),
    (("over",), ">"),
    (("exceeds",), ">"),
    (("exceeding",), ">"),
    (("below",), "<"),
    (("under",), "<"),
    ((">=",), ">="),
    (("\u2265",), ">="),
    (("<=",), "<="),
    (("\u2264",), "<="),
    ((">",), ">"),
    (("<",), "<"),
)
# Behind a value: `30 C or more`.
TAIL_COMPARISONS = {
    "more": ">=",
    "above": ">=",
    "higher": ">=",
    "over": ">=",
    "less": "<=",
    "below": "<=",
    "lower": "<=",
    "under": "<=",
}
SAID = {">": "above", "<": "below", ">=": "at least", "<=": "at most", "in": "between", "out": "outside"}

# A comparative, what it compares by, and the declared words that may name the sensor (the first that is declared).
COMPARATIVES = {
    "warmer": (">", ("warm", "hot", "temperature")),
    "hotter": (">", ("hot", "warm", "temperature")),
    "colder": ("<", ("cold", "warm", "temperature")),
    "cooler": ("<", ("cool", "cold", "warm", "temperature")),
    "wetter": (">", ("wet", "moist", "moisture")),
    "moister": (">", ("moist", "wet", "moisture")),
    "drier": ("<", ("dry", "wet", "moist", "moisture")),
    "dryer": ("<", ("dry", "wet", "moist", "moisture")),
    "brighter": (">", ("bright", "light", "illuminance")),
    "lighter": (">", ("light", "bright", "illuminance")),
    "darker": ("<", ("dark", "light", "bright", "illuminance")),
}
# A word that no sensor declares stands for the first of these that one does.
SYNONYMS = {
    "warm": ("temperature",),
    "hot": ("warm", "temperature"),
    "cold": ("warm", "temperature"),
    "cool": ("warm", "temperature"),
    "temp": ("temperature",),
    "humid": ("humidity",),
    "muggy": ("humid", "humidity"),
    "damp": ("humid", "humidity"),
    "moist": ("moisture",),
    "wet": ("moist", "moisture"),
    "dry": ("wet", "moist", "moisture"),
    "bright": ("light", "illuminance", "brightness"),
    "dark": ("light", "bright", "illuminance"),
    "brightness": ("light", "bright", "illuminance"),
}

# A declared word of an output that begins with one of these is an order by itself ("water the plants").
USES = frozenset(_each("water irrigate ventilate cool heat warm mist spray feed aerate dry"))
# What may follow it where the declared word is the verb alone.
USED_ON = frozenset(_each("plants plant soil beds bed garden greenhouse air room pots"))

# Words behind a sensor's name that add nothing.
SENSOR_TAILS = ("sensor", "sensors", "reading", "readings", "value", "values", "level", "levels", "measurement")
ALL_SENSORS = (
    ("all", "sensors"),
    ("all", "readings"),
    ("all", "values"),
    ("all", "sensor", "readings"),
    ("all", "sensor", "values"),
    ("all", "of", "sensors"),
    ("every", "sensor"),
    ("sensor", "readings"),
    ("readings",),
    ("sensors",),
    ("everything",),
)
ALL_OUTPUTS = (("all", "outputs"), ("all", "of", "outputs"), ("every", "output"), ("outputs",))

# Order matters: of two patterns that take the same words, the first counts.
CLAUSES = (
    ("sensors", "what|which sensors is|are there|here|available|connected|declared?"),
    ("sensors", "what|which sensors do|can you|we|i have|read|see|know|use"),
    ("sensors", "list|show|name all? sensors"),
    ("sensors", "list of? sensors"),
    ("sensors", "sensors"),
    ("sensors", "what can you read|measure|sense"),
    ("outputs", "what|which outputs is|are there|here|available|connected|declared?"),
    ("outputs", "what|which outputs do|can you|we|i have|switch|control|see|know|use|drive"),
    ("outputs", "list|show|name all? outputs"),
    ("outputs", "list of? outputs"),
    ("outputs", "outputs"),
    ("outputs", "what can you|i|we switch|control"),
    ("folder", "list|show all? files|folder|directory"),
    ("folder", "what|which files is|are there|here?"),
    ("folder", "what|which files do you|we|i have|see"),
    ("folder", "what is in folder|directory"),
    ("folder", "files"),
    ("folder", "list|show all? files in|of|under|inside folder|directory? PATH"),
    ("folder", "list|show content|contents? of? folder|directory PATH"),
    ("folder", "what|which files is|are there? in|under|inside folder|directory? PATH"),
    ("folder", "what is in|inside folder|directory PATH"),
    ("file", "read|show|open|print|display|cat file PATH"),
    ("file", "read|show|print|display|give|get content|contents|text of file? PATH"),
    ("file", "read|show|open|print|display|cat|list DOTTED"),
    ("file", "what is in|inside file PATH"),
    ("file", "what is in|inside DOTTED"),
    ("file", "what does file? DOTTED say|contain"),
    ("help", "help"),
    ("help", "what can|do you do|understand|know"),
    ("help", "what can i ask|say"),
    ("help", "how do you work"),
    ("help", "who|what are you"),
    ("status", "status"),
    ("status", "give|show|report|tell|check|get|print status"),
    ("status", "what is status|happening"),
    ("status", "what is going on"),
    ("status", "how is everything|it going?"),
    ("status", "how are things|you"),
    ("status", "overview"),
    ("lit", "what|which outputs? is|are STATE"),
    ("lit", "what|which outputs? is|are running|active"),
    ("lit", "is|are anything|something|any outputs? STATE"),
    ("lit", "is|are anything|something|any outputs? running|active"),
    ("state", "is|are OUTPUTS STATE"),
    ("state", "is|are OUTPUTS running|active|working|going"),
    ("state", "what is state|status of OUTPUTS"),
    ("state", "state|status of OUTPUTS"),
    ("state", "OUTPUTS state|status"),
    ("state", "check|tell|say if|whether OUTPUTS is|are STATE"),
    ("state", "how long is|are OUTPUTS on|running"),
    ("state", "read|check|show OUTPUTS"),
    ("was", "what was|were|is|are last|latest|previous|recent SENSORS"),
    ("was", "what was|were SENSORS"),
    ("was", "show|give|tell|read|report last|latest|previous SENSORS"),
    ("was", "last|latest|previous SENSORS"),
    ("was", "how SENSOR was it PLACE?"),
    ("was", "how SENSOR was SAME"),
    ("been", "has|was SUBJECT been? TEST recently|lately?"),
    ("been", "has|was it been? WARMER recently|lately?"),
    ("been", "has|was it been? SENSOR PLACE? recently|lately?"),
    ("been", "has|was SAME been? SENSOR recently|lately?"),
    ("been", "show|list|give|tell recent|earlier|past SENSORS"),
    ("been", "recent|earlier|past SENSORS"),
    ("ask", "is|are SUBJECT TEST"),
    ("ask", "is it WARMER PLACE?"),
    ("ask", "is SAME WARMER"),
    ("ask", "check|tell|say if|whether SUBJECT is TEST"),
    ("read", "read|measure|check|get|show|tell|give|report|sense|fetch|display|print SENSORS"),
    ("read", "take|give a? reading of SENSORS"),
    ("read", "what|how is|are|about SENSORS"),
    ("read", "what SENSORS is|are it|there PLACE?"),
    ("read", "what SENSORS do you|we|i have|read|measure|see PLACE?"),
    ("read", "how SENSOR is it PLACE?"),
    ("read", "how SENSOR is SAME PLACE?"),
    ("read", "how SENSOR it is PLACE?"),
    ("read", "how SENSOR"),
    ("read", "how much|many SENSOR is|are there|it PLACE?"),
    ("read", "is it SENSOR PLACE?"),
    ("read", "is SAME SENSOR"),
    ("read", "check|tell|say if|whether it is SENSOR PLACE?"),
    ("read", "tell|say|show|check how SENSOR it is PLACE?"),
    ("read", "tell|say|show|check how SENSOR SAME is"),
    ("read", "tell|say|show what SENSORS is|are PLACE?"),
    ("read", "what is reading|value|level of SENSORS"),
    ("read", "SENSORS"),
)

ORDERS = (
    ("switch", "turn|switch|power STATE OUTPUTS FOR?"),
    ("switch", "turn|switch|put|set|power OUTPUTS to? STATE FOR?"),
    ("switch", "turn|switch OUTPUTS FOR STATE"),
    ("switch", "FOR turn|switch STATE OUTPUTS"),
    ("switch", "FOR turn|switch OUTPUTS STATE"),
    ("on", "run|start|activate|enable OUTPUTS FOR?"),
    ("on", "start running OUTPUTS FOR?"),
    ("on", "let OUTPUTS run FOR?"),
    ("on", "keep|leave OUTPUTS on|running FOR"),
    ("on", "FOR run|start|activate OUTPUTS"),
    ("on", "USE FOR?"),
    ("off", "stop|deactivate|disable|halt OUTPUTS"),
    ("off", "stop running OUTPUTS"),
    ("off", "shut off|down OUTPUTS"),
    ("off", "shut OUTPUTS off|down"),
    ("alloff", "turn|switch|power everything|all off"),
    ("alloff", "turn|switch|power|shut off everything"),
    ("alloff", "stop everything"),
    ("alloff", "everything|all off"),
)

# Only right behind an order to switch on or off, in the same sentence: "turn the fan on and the pump off".
FOLLOWING = {
    "switch on": (("switch", "OUTPUTS STATE FOR?"), ("on", "OUTPUTS FOR")),
    "switch off": (("switch", "OUTPUTS STATE FOR?"),),
    "run": (("on", "OUTPUTS FOR"),),
}

# Only in a sentence that ends with a question mark.
QUESTIONS = (
    ("state", "OUTPUTS STATE"),
    ("state", "OUTPUTS running|active"),
)

CONDITIONS = (
    ("test", "SUBJECT is|are TEST"),
    ("test", "SUBJECT TEST"),
    ("test", "it is WARMER"),
    ("test", "SAME is|are WARMER"),
    ("event", "SUBJECT gets|goes|rises|climbs|drops|falls|becomes to? TEST"),
    ("event", "it gets|becomes WARMER"),
    ("event", "SAME gets|becomes WARMER"),
    ("state", "OUTPUTS is|are STATE"),
    ("state", "OUTPUTS is|are running|active"),
)

# Only for saying what is wrong with a clause that nothing fits: a name that is unknown, a value that is not said.
VAGUE = (("value", "if|when it is SENSOR"), ("value", "if|when SAME is SENSOR"))
UNKNOWN = (
    ("output", "turn|switch|power STATE THING FOR?"),
    ("output", "turn|switch|put|set|power THING to? STATE FOR?"),
    ("output", "run|start|activate|enable|stop|deactivate|disable|halt THING FOR?"),
    ("output", "is|are THING on|off|running"),
    ("sensor", "read|measure|sense THING"),
    ("sensor", "what is THING"),
    ("sensor", "if|when THING is|are TEST"),
    ("sensor", "is THING TEST"),
)

# Templates for goals that work on this board; each names what it needs: tools, and S a sensor, M one that measures (a
# contact is above nothing), O an output.
EXAMPLES = (
    ("read the {sensor}", "sensor_read S"),
    ("if the {sensor} is above {value}{unit}, run the {output} for 2 minutes", "sensor_read output_set M O"),
    ("turn the {output} on for 30 seconds", "output_set O"),
    ("is the {output} on?", "output_list O"),
    ("is the {sensor} above {value}{unit}?", "sensor_read M"),
    ("read all sensors", "sensor_read S"),
    ("what sensors are there?", "sensor_list"),
    ("which outputs do you have?", "output_list"),
    ("list files", "file_read"),
    ("read the file notes.txt", "file_read"),
    ("help", ""),
    ("what can you do?", ""),
    ("what do you understand?", ""),
)
EXAMPLE_VALUES = {"C": "30", "F": "86", "%": "50", "lux": "1000"}
EXAMPLE_VALUE = "10"
