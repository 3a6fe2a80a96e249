"""Programs that talk to other machines: whom, and what they write here. Pure.

Rules:
1. Text of a shell that reaches the network is asked about; the host is named where the words name it.
2. What a download writes to its output is marked: given to a shell, it is destructive.
"""

from __future__ import annotations

from edge.gate.shell.marks import FETCHED, known, names, shown
from edge.gate.shell.options import has, options, value
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

# name -> verb, option letters that take a value
TALKS = {
    "curl": ("fetch", "AbcCdDeEFhHKmoPQrRtTuUwxXyYz"),
    "wget": ("fetch", "aoOitTQwUeBPADRIXl"),
    "ping": ("send", "cCiIlmMpQsStTwW"),
    "ping6": ("send", "ciIlmMpQsStTwW"),
    "arping": ("send", "cIswS"),
    "traceroute": ("send", "fgmpqstwziN"),
    "tracepath": ("send", "lmp"),
    "mtr": ("send", "csim"),
    "nc": ("send", "iIOpPqsTVwxXm"),
    "ncat": ("send", "iopswegm"),
    "netcat": ("send", "iIOpPqsTVwxX"),
    "telnet": ("send", "lneXbkS"),
    "ftp": ("send", "P"),
    "tftp": ("send", "lrgpbm"),
    "ssh": ("send", "BbcDEeFIiJLlmOopQRSWw"),
    "scp": ("send", "cFiJloPS"),
    "sftp": ("send", "BbcDFiJloPRSs"),
    "nslookup": ("send", ""),
    "dig": ("send", "bcfkpqtxy"),
    "host": ("send", "cCmNRtW"),
    "whois": ("send", "hp"),
    "ntpdate": ("send", "aekopt"),
    "nmap": ("send", "pioegSDT"),
    "socat": ("send", "lTbtd"),
    "iperf3": ("send", "cptPbnl"),
    "snmpget": ("send", "vcCalxXuAnEr"),
    "snmpwalk": ("send", "vcCalxXuAnEr"),
    "mosquitto_pub": ("send", "htmpuPqifIkA"),
    "mosquitto_sub": ("send", "htpuPqiICFWkAT"),
    "mbpoll": ("send", "abdDlmoPprtcs"),
    "mail": ("send", "sarbcAq"),
    "sendmail": ("send", "fFNoOXR"),
    "chronyc": ("send", "hp"),
    "aria2c": ("fetch", "dosxi"),
    "lynx": ("fetch", ""),
    "w3m": ("fetch", ""),
    "speedtest-cli": ("fetch", ""),
}
_WRITES = {"curl": ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"), "wget": ("-O", "--output-document")}
_SENDS = names(
    "-d --data --data-raw --data-binary --data-urlencode -F --form -T --upload-file -X --request --json "
    "--post-data --post-file --method --body-data --body-file"
)
_RUNS = {"nc": ("-e", "-c"), "ncat": ("-e", "-c", "--exec", "--sh-exec"), "netcat": ("-e", "-c"), "socat": ()}
_LONGS = (
    "output",
    "output-document",
    "max-time",
    "connect-timeout",
    "header",
    "user",
    "data",
    "request",
    "form",
    "retry",
    "url",
    "data-binary",
    "data-raw",
    "upload-file",
    "cookie",
    "user-agent",
    "cacert",
    "cert",
    "key",
    "proxy",
    "timeout",
    "tries",
    "directory-prefix",
    "data-urlencode",
    "json",
    "exec",
    "sh-exec",
    "config",
    "cookie-jar",
    "dump-header",
)


def judge(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    verb, values = TALKS[name]
    found, operands = options(words, values, _LONGS, name != "ssh")
    if any(option in _SENDS and text not in ("GET", "HEAD") for option, text in found):
        verb = "send"
    for option, text in found:
        if option in _WRITES.get(name, ()) and text not in ("-", ""):
            walk.sink.path("write", text, walk.state)
        elif option in _RUNS.get(name, ()):
            walk.sink.ruin("remote-shell", f"{name} gives {shown(text)} to another machine")
            walk.text(text, name)
        elif text.startswith("@") and len(text) > 1:
            walk.sink.path("read", text[1:], walk.state)
        elif option in ("-K", "--config", "-i", "-T", "--upload-file", "--post-file") and name in (
            "curl",
            "scp",
            "ssh",
        ):
            walk.sink.path("read", text, walk.state)
    if name == "wget" and not has(found, "-O", "--output-document", "--spider"):
        walk.sink.path("write", value(found, "-P", "--directory-prefix") or ".", walk.state)
    if name == "curl" and has(found, "-O", "-J", "--remote-name"):
        walk.sink.path("write", ".", walk.state)
    _hosts(walk, name, verb, [*operands, value(found, "--url"), value(found, "-h") if "mosq" in name else ""])
    if name == "socat" and any(text.upper().startswith(("EXEC:", "SYSTEM:", "SHELL:")) for text in operands):
        walk.sink.ruin("remote-shell", "socat gives a program to another machine")
    if name in ("scp", "sftp"):
        _copies(walk, operands)
    return Stream(None, FETCHED)


def _hosts(walk: Walk, name: str, verb: str, operands: list[str]) -> None:
    named = [text for text in operands if text]
    urls = [text for text in named if "://" in text] or named[:1]
    for text in urls:
        if text.startswith("file:"):
            walk.sink.path("read", text[5:].replace("//", "/", 1), walk.state)
            continue
        walk.sink.add(verb, f"host:{_host(text)}", f"{name} {shown(text)}")
    if not urls:
        walk.sink.add(verb, "host:unknown", name)


def _host(text: str) -> str:
    rest = text.partition("://")[2] or text
    host = rest.partition("/")[0].rpartition("@")[2]
    return (host if known(host) else "unknown").lower() or "unknown"


def _copies(walk: Walk, operands: list[str]) -> None:
    for index, text in enumerate(operands):
        if ":" not in text.partition("/")[0]:
            verb = "write" if index == len(operands) - 1 else "read"
            walk.sink.path(verb, text, walk.state, True)
