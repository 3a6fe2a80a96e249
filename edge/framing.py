"""Where in a reply the answer or the JSON step stands.

Rules:
1. Taken away first: blanks and a byte order mark around the reply, tokens that begin or end a turn, think
   blocks, channels that are not `final`.
2. A think tag of which only the end is there was opened by the chat template: all before it was thinking.
   A tag right behind a backtick or inside a readable object is text.
3. A reply that is one fence and nothing else is its content. A fence without an end runs to the end of the
   text (CommonMark 0.31, 4.5), so that it may be such a reply too.
4. A step is an object on lines of its own. An object inside a sentence, behind `>`, in a fence beside other text,
   between <example> tags (or sample, quote, blockquote), or below a line that holds only a quotation mark, to the next
   such line, is an example. An example without an end runs to the end of the text.
5. Exactly one object. A second one, a list of them, a broken one, or text behind the closing brace on its line
   is a fault, even beside a good one: which of the two was meant would be a guess.
6. A StepFault leaves this file for a reply that cannot be read. Work is linear in the length of the reply.
"""

from __future__ import annotations

from edge.faults import StepFault
from edge.lenient import attempt, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Found = tuple[Any, tuple[str, ...]]

# Special tokens of the chat templates of Llama 2 and 3, ChatML (Qwen, SmolLM), Gemma, DeepSeek, Phi, gpt-oss.
_STARTS = (
    "<s>",
    "<bos>",
    "<|begin_of_text|>",
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",
    "<|assistant|>",
    "<｜Assistant｜>",  # noqa: RUF001  DeepSeek's tokens do hold full-width bars
)
_ENDS = (
    "</s>",
    "<eos>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",  # noqa: RUF001
)
_BLANK = " \t\r\n\ufeff"

_NAMES = "think|thinking|thought|reasoning|seed:think"
_TAG = rf"(?<!`)(?:<(?P<end>/)?(?:{_NAMES})>|\[(?P<stop>/)?THINK\])"
_LINE = r"^[ \t]*(?P<open>[{\[])"
# Wherever the marks stand: models open fences behind a list mark or a colon, and deeper than 3 blanks.
_FENCE = r"(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
_TAGS = "examples?|samples?|quote|blockquote"
_QUOTE = r"^[ \t]*(?P<quote>[\"'\u00ab\u00bb\u2018-\u201f]{1,3})[ \t\r]*$"
_EXAMPLE = rf"(?<!`)<(?P<example>{_TAGS})(?:\s[^<>\n]*)?>"
# To make one of them ready costs as much as to read some hundred replies: each waits until it is needed.
_PATTERNS = {
    "tag": _TAG,
    "line tag": rf"^[ \t]*(?:<(?:{_NAMES})>|\[THINK\])",
    "tag or object": f"{_TAG}|{_LINE}",
    "example or object": f"{_FENCE}|{_LINE}|{_EXAMPLE}|{_QUOTE}",
    "example end": rf"</(?:{_TAGS})\s*>",
    "quote end": _QUOTE,
    "fence end": r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t\r]*$",
}
_EXACT = {
    "info": r"[ \t]*[\w.+-]*[ \t]*(?={)",  # a fence that opens on the line of its object
    "first": r"[ \t]*[{\[]",
    # {a word} or [a word] that begins a line of prose: no JSON object, and no list that could hold one
    "prose": r"\{[ \t]*[^\s\"':{}][^\n\"':{}]*\}|\[(?!\s*[\[{\"'])",
    "channel": r"(?s)<\|channel\|>(?P<name>[^<]*)(?:<\|constrain\|>[^<]*)?<\|message\|>(?P<text>.*?)"
    r"(?=<\|(?:end|return|call|start|channel)\|>|\Z)",
}
_marks: dict[str, Any] = {}


def _pattern(name: str) -> Any:
    """One of the patterns, compiled at its first use."""
    found = _marks.get(name)
    if found is None:
        import re

        flags = re.MULTILINE | re.IGNORECASE
        found = re.compile(_PATTERNS[name], flags) if name in _PATTERNS else re.compile(_EXACT[name])
        _marks[name] = found
    return found


def answer(raw: str) -> str:
    """The text of a native reply: rule 1. "" when nothing is left. StepFault when a think block never ends."""
    return _trimmed(_outside(_final(_trimmed(raw)), "", False))


def step_object(raw: str) -> Found:
    """The one JSON value of a reply that was asked for a step, and the repairs. StepFault when there is none."""
    text = _trimmed(_outside(_final(_trimmed(raw)), "\n", True))
    if not text:
        raise StepFault("empty", "the reply is empty")
    told: tuple[str, ...] = ()
    for _ in range(2):  # a fence in a fence and nothing else is still its content
        inner = _fenced(text)
        if inner is None:
            break
        text, repairs = inner
        told += repairs
    if not text:
        raise StepFault("no_object", "the fence is empty")
    value, repairs = _only(text)
    return value, told + repairs


def _trimmed(text: str) -> str:
    """Without outer blanks and the tokens that begin and end a turn."""
    text = text.strip().strip(_BLANK)
    for token in _STARTS:
        if text.startswith(token):
            text = text[len(token) :].lstrip()
    end = len(text)
    while text.endswith(_ENDS, 0, end):
        end -= next(len(token) for token in _ENDS if text.endswith(token, 0, end))
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


def _final(text: str) -> str:
    """The `final` channel where a reply has channels (the harmony form), else the text itself."""
    if not text.startswith(("<|channel|>", "<|start|>")) and "<|start|>assistant<|channel|>" not in text:
        return text
    parts = [(m["name"].split(), m["text"]) for m in _pattern("channel").finditer(text)]
    if any("to=" in word for name, _ in parts for word in name):
        raise StepFault("no_object", "a call in a commentary channel is not read here; write it in the final channel")
    final = [text for name, text in parts if name[:1] == ["final"]]
    if not final:
        raise StepFault("unclosed_think", "there is no final channel; end the analysis and answer in the final channel")
    return "\n".join(final)


def _outside(text: str, gap: str, objects: bool) -> str:
    """The text without think blocks, `gap` in the place of each. `objects`: what a readable object holds is text."""
    if ("<" not in text and "[" not in text) or not _pattern("tag").search(text):
        return text
    scan = _pattern("tag or object" if objects else "tag")
    skip = _Skip(text) if objects else None
    kept: list[str] = []
    start = at = 0  # what stands from `start` is kept unless a lonely end tag follows; the search goes on at `at`
    while True:
        found = scan.search(text, at)
        if found is None:
            return "".join(kept) + text[start:]
        at = found.end()
        if skip and found["open"]:
            at = skip.object(found.start("open")) or at
            continue
        if found["end"] or found["stop"]:
            kept, start = [], at
        elif end := _closing(text, at):
            kept += (text[start : found.start()], gap)
            start = at = end
        elif objects or _pattern("line tag").search(text, text.rfind("\n", 0, at) + 1):
            raise StepFault("unclosed_think", "the think block never ends; close it and then answer")
        else:  # in the middle of a line of an answer: the answer speaks of the tag
            return "".join(kept) + text[start:]
        at = skip.first(at) if skip else at


def _closing(text: str, at: int) -> int:
    """The place behind the next end tag, 0 when there is none."""
    for found in _pattern("tag").finditer(text, at):
        if found["end"] or found["stop"]:
            return int(found.end())
    return 0


class _Skip:
    """Skips readable objects in a text; bounds what is spent on those that cannot be read: many cost no square."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = flat(text)
        self.left = len(text) + 4096  # characters

    def object(self, at: int) -> int:
        """The end of the object or list at `at`, 0 when it cannot be read or too much was spent already."""
        if self.left <= 0:
            return 0
        _, end, _, fault = attempt(self.text, at, self.flat)
        if fault:
            self.left -= end - at + 64
        return 0 if fault else end

    def first(self, at: int) -> int:
        """Behind a tag a line begins: the end of the object that stands there at once, else `at`."""
        found = _pattern("first").match(self.text, at)
        return (self.object(found.end() - 1) or at) if found else at


def _fenced(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The content of a text that is one fence and nothing else, and the repairs; None when it is something else."""
    mark = text[:1] or " "
    size = len(text) - len(text.lstrip(mark))
    if mark not in "`~" or size < 3:
        return None
    info = _pattern("info").match(text, size)
    content = text[info.end() :] if info else text[size:].partition("\n")[2]
    body = content.rstrip()
    tail = len(body) - len(body.rstrip(mark))
    repairs: tuple[str, ...] = ("the missing end of the fence was added",) if tail < size else ()
    body = body[: len(body) - tail].strip() if tail >= size else body.strip()
    if body[:1] == "{":
        _, end, _, fault = attempt(body, 0, flat(body))
        if not fault and end == len(body):  # fence marks in its strings are text
            return body, repairs
    return None if _after_fence(body, 0, mark, size) else (body, repairs)


def _after_fence(text: str, at: int, mark: str, size: int) -> int:
    """The place behind the line that ends a fence of `size` marks, 0 when there is none."""
    for found in _pattern("fence end").finditer(text, at):
        if found["fence"][0] == mark and len(found["fence"]) >= size:
            return int(found.end())
    return 0


def _only(text: str) -> Found:
    """The one value on lines of its own outside fences: rules 4 and 5."""
    one: Found | None = None
    shallow = flat(text)
    at = 0
    while found := _pattern("example or object").search(text, at):
        if not found["open"]:
            at = _behind(text, found)
            continue
        at = found.end()
        start = found.start("open")
        if _pattern("prose").match(text, start):
            continue
        value, end, repairs, fault = attempt(text, start, shallow)
        if one:
            raise StepFault("two_objects", "there are two JSON objects in the reply; give exactly one step")
        if fault:
            raise fault
        _own_lines(text, end)
        one, at = (value, repairs), end
    if one is None:
        raise _nothing(text)
    return one


def _behind(text: str, found: Any) -> int:
    """Where to go on after the mark of an example: behind its end, or behind the marks of a span inside one line."""
    if not found["fence"]:
        end = _pattern("example end" if found["example"] else "quote end").search(text, found.end())
        return int(end.end()) if end else len(text)
    mark = found["fence"][0]
    if mark == "`" and "`" in found["info"]:
        return int(found.start("info") + found["info"].rindex("`") + 1)
    return _after_fence(text, int(found.end()), mark, len(found["fence"])) or len(text)


def _own_lines(text: str, end: int) -> None:
    """StepFault when something stands behind the object on its last line."""
    newline = text.find("\n", end)
    rest = (text[end:newline] if newline >= 0 else text[end:]).strip()
    if rest.lstrip(",; \t").startswith(("{", "[")):
        raise StepFault("two_objects", "there are two JSON objects in the reply; give exactly one step")
    if rest:
        raise StepFault("example_in_prose", f"text follows the object on its last line: {rest[:30]!a}")


def _nothing(text: str) -> StepFault:
    """Why a text without an object on lines of its own is not a step."""
    _, end, _, fault = attempt(text, 0, flat(text))
    if fault is None and end == len(text):
        return StepFault("not_a_step", "the reply is a JSON value, but not an object")
    if "action" in text and "{" in text:
        return StepFault("example_in_prose", "the object stands inside a sentence, a quotation or an example")
    return StepFault("no_object", "there is no JSON object in the reply")
