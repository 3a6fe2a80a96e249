from __future__ import annotations

import contextlib
import time

import pytest

from edge.faults import StepFault
from edge.framing import answer, step_object

STEP = '{"thought": "t", "action": "sensor_read", "action_input": {"name": "a"}}'
VALUE = {"thought": "t", "action": "sensor_read", "action_input": {"name": "a"}}
OTHER = '{"thought": "t", "action": "final", "action_input": "ok"}'


@pytest.mark.parametrize(
    "reply",
    [
        STEP,
        "\ufeff" + STEP,
        STEP + "\r\n",
        "\n\n  " + STEP,
        "Ok.\n" + STEP,
        "Ok.\r\n" + STEP + "\r\nBye.\r\n",
        "Ok.\n\n   " + STEP + "   \nBye.",
        STEP.replace(", ", ",\n  "),
        STEP + "<|im_end|>",
        STEP + "</s>\n</s>",
        "<|im_start|>assistant\n" + STEP + "<|im_end|>\n",
        "<s>" + STEP,
        "<think>a</think>" + STEP,
        "<THINK>a</THINK>" + STEP,
        "<thinking>\n" + OTHER + "\n</thinking>\n" + STEP,
        "[THINK]a[/THINK]" + STEP,
        "<think>a<think>b</think>c</think>\n" + STEP,
        "<think>no `</think>` yet\n" + OTHER + "</think>" + STEP,
        "opened by the template\n" + OTHER + "\n</think>\n" + STEP,
        OTHER + "</think>\n" + STEP,
        STEP + "\n<think>afterwards</think>",
        "a remark <think>a</think>" + STEP,
        "The tag `<think>` is not used.\n" + STEP,
        "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>" + STEP + "<|return|>",
        "<|channel|>final <|constrain|>json<|message|>" + STEP,
        "opened by the template<|end|><|start|>assistant<|channel|>final<|message|>" + STEP,
        "```json\n" + STEP + "\n```",
        "```JSON\r\n" + STEP + "\r\n```\r\n",
        "~~~\n" + STEP + "\n~~~",
        "````json\n" + STEP + "\n````",
        "```json\n" + STEP + "```",
        "```json " + STEP + " ```",
        "```" + STEP + "\n```",
        "~~~\n```json\n" + STEP + "\n```\n~~~",
        "<think>a</think>\n```json\n" + STEP + "\n```<|eot_id|>",
        "An example:\n```json\n" + OTHER + "\n```\nand now\n" + STEP,
        "An example: ```" + OTHER + "``` and now\n" + STEP,
        "{braces} and [brackets] may stand in prose.\n" + STEP,
        "{braces} begin a line.\n[brackets] too.\n[1] a note\n" + STEP,
        "> " + OTHER + "\nis quoted.\n" + STEP,
        "- " + OTHER + "\n\n" + STEP,
        "<example>\n" + OTHER + "\n</example>\n" + STEP,
        'Like <Example n="1">\n' + OTHER + "\n</EXAMPLE >, so:\n" + STEP,
        "<blockquote>\n" + OTHER + "\n</blockquote>\n<quote>\n" + OTHER + "\n</quote>\n" + STEP,
        '"\n' + OTHER + '\n"\n' + STEP,
        "He wrote:\n  \u201c \n" + OTHER + "\n\u201d\r\n" + STEP,
        "The tag `<example>` is not used.\n" + STEP,
        "<tool_call>\n" + STEP + "\n</tool_call>",
        "a < b, and <example1> or </example> opens none\n" + STEP,
    ],
)
def test_the_one_object_on_lines_of_its_own_is_found(reply: str) -> None:
    assert step_object(reply) == (VALUE, ())


@pytest.mark.parametrize(
    "reply",
    [
        'Ok.\n{"thought": "</think> and <think> are tags", "action": "bash", "action_input": "ls"}\nBye.',
        'Ok.</think>{"thought": "</think> and <think> are tags", "action": "bash", "action_input": "ls"}\nBye.',
        '{"thought": "</think> and <think> are tags", "action": "bash", "action_input": "ls"}</s>',
    ],
)
def test_think_tags_inside_the_object_are_text(reply: str) -> None:
    assert step_object(reply)[0]["thought"] == "</think> and <think> are tags"


def test_fence_marks_inside_the_object_are_text() -> None:
    inside = '{"action": "final", "action_input": "Run:\n```sh\nuptime\n```\nand wait"}'
    value, repairs = step_object("```json\n" + inside + "\n```")
    assert value["action_input"] == "Run:\n```sh\nuptime\n```\nand wait"
    assert repairs == ("a raw line break inside a string was kept",)


def test_a_fence_without_an_end_is_its_content_and_that_is_told() -> None:
    assert step_object("```json\n" + STEP) == (VALUE, ("the missing end of the fence was added",))


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "empty"),
        (" \r\n\t\ufeff", "empty"),
        ("<think>only\n" + STEP + "\n</think>", "empty"),
        ("I will read it.", "no_object"),
        ("```json\n```", "no_object"),
        ("```", "no_object"),
        ("~~~\n```\n```\n~~~", "no_object"),
        ("null", "not_a_step"),
        ('"sensor_read"', "not_a_step"),
        ("42", "not_a_step"),
        ("[]", "not_a_step"),
        ("Example: " + STEP, "example_in_prose"),
        (STEP + " is what I would send.", "example_in_prose"),
        (STEP + ".", "example_in_prose"),
        (STEP + ",", "example_in_prose"),
        ("> " + STEP, "example_in_prose"),
        ("`" + STEP + "`", "example_in_prose"),
        ('"' + STEP + '"', "example_in_prose"),
        ("- " + STEP, "example_in_prose"),
        ("See:\n```json\n" + STEP + "\n```", "example_in_prose"),
        ("```json\n" + STEP + "\n```\nShall I?", "example_in_prose"),
        ("```json\n" + STEP + "\n```\n```json\n" + STEP + "\n```", "example_in_prose"),
        ("- ```json\n  " + STEP + "\n  ```\nok?", "example_in_prose"),
        ("Example: ```json\n" + STEP + "\n```\nok?", "example_in_prose"),
        ("See\n        ```json\n        " + STEP + "\n        ```\nok?", "example_in_prose"),
        ("See\n```\nforgotten end\n" + STEP, "example_in_prose"),
        ("<example>\n" + STEP + "\n</example>", "example_in_prose"),
        ("<example>" + STEP + "</example>", "example_in_prose"),
        ('<example id="1">\n' + STEP + "\n</example>\nShall I?", "example_in_prose"),
        ("An <example>\n" + STEP, "example_in_prose"),
        ("<quote>\n" + STEP + "\n</quote>", "example_in_prose"),
        ('"\n' + STEP + '\n"', "example_in_prose"),
        ("'''\n" + STEP + "\n'''\n", "example_in_prose"),
        ("You wrote\n\u201c\n" + STEP + "\n\u201d", "example_in_prose"),
        ("\u00bb\n" + STEP + "\n\u00ab", "example_in_prose"),
        ('"\n' + STEP, "example_in_prose"),
        (STEP + "}", "example_in_prose"),
        (STEP + " }", "example_in_prose"),
        (STEP + "]", "example_in_prose"),
        (STEP + "[]", "two_objects"),
        (STEP + " []", "two_objects"),
        (STEP + "\t{}", "two_objects"),
        ("Ok.\n" + STEP + " []\nBye.", "two_objects"),
        ("Ok.\n" + STEP + "}\nBye.", "example_in_prose"),
        ("```json\n" + STEP + "}\n```", "example_in_prose"),
        ("```json\n" + STEP + " []\n```", "two_objects"),
        ("<think>a</think>" + STEP + "}", "example_in_prose"),
        (STEP + STEP, "two_objects"),
        (STEP + "\n" + STEP, "two_objects"),
        (STEP + "\n" + OTHER, "two_objects"),
        (STEP + ", " + OTHER, "two_objects"),
        ("First:\n" + STEP + '\nThen:\n{"value": 1}', "two_objects"),
        (STEP + '\n{"thought": "cut', "two_objects"),
        (STEP + "\n[" + OTHER + "]", "two_objects"),
        ('{"broken": oops}\n' + STEP, "bad_json"),
        ("[\n" + STEP + "\n", "truncated"),
        ("[\n" + STEP + ",\n", "truncated"),
        ('{"steps": [\n' + STEP + "\n", "truncated"),
        ("<think>\n" + STEP, "unclosed_think"),
        (STEP + "\n<think>hm", "unclosed_think"),
        ("in the middle <think> of a line\n" + STEP, "unclosed_think"),
        ("<|channel|>analysis<|message|>" + STEP + "<|end|>", "unclosed_think"),
        ("<|channel|>commentary to=functions.bash<|message|>{}<|call|>", "no_object"),
    ],
)
def test_no_step_is_a_fault_that_says_why(reply: str, why: str) -> None:
    with pytest.raises(StepFault) as caught:
        step_object(reply)
    assert caught.value.why == why


def test_a_list_is_given_on_as_it_is() -> None:
    assert step_object("[\n" + STEP + "\n]")[0] == [VALUE]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("  \r\nFan is off.\r\n", "Fan is off."),
        ("Done.<|im_end|>", "Done."),
        ("Done.</s></s>\n<|eot_id|> ", "Done."),
        ("<think>x</think>\n\nDone.", "Done."),
        ("from the template</think>Done.", "Done."),
        ("a <think>x</think>b", "a b"),
        ("Use the <think> tag", "Use the <think> tag"),
        ("`<think>` and `</think>` are tags", "`<think>` and `</think>` are tags"),
        ("<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>", "Done."),
        ("<think>x</think>", ""),
        ("</s>", ""),
        ("", ""),
    ],
)
def test_an_answer_is_the_text_without_thinking_and_tokens(reply: str, text: str) -> None:
    assert answer(reply) == text


@pytest.mark.parametrize("reply", ["<think>Hm", "Well.\n  <think>Hm", "a <think> b\n<think>c", "[THINK] hm"])
def test_an_answer_that_never_leaves_its_thinking_is_a_fault(reply: str) -> None:
    with pytest.raises(StepFault, match="never ends"):
        answer(reply)


@pytest.mark.parametrize(
    "reply",
    [
        '{"a":\n' * 40_000 + "</think>\n" + STEP,
        "```\n" * 60_000,
        "a```b``` " * 30_000,
        "{" * 250_000,
        "{\n" * 120_000,
        "<think>x</think>" * 15_000,
        "a <think> " * 25_000,
        "</s>" * 60_000,
        "{aaa}\n" * 40_000,
        "[]\n" * 80_000,
        "{'\n" * 80_000 + "</think>" + STEP,
        '{"a":"' + '\\"' * 120_000,
        "<|channel|>" * 25_000,
        ("\n" + " " * 100) * 2_500 + "{",
    ],
    ids=range(14),
)
def test_the_work_is_linear_in_hostile_replies(reply: str) -> None:
    start = time.monotonic()
    for read in (step_object, answer):
        with contextlib.suppress(StepFault):
            read(reply)
    assert time.monotonic() - start < 60  # a square would take minutes
