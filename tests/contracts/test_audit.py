"""What every audit log keeps to: the one on the card, the same opened again, and the one that keeps nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Union

import pytest

from edge.faults import TapeFault
from edge.tape.audit import Audit
from edge.tape.audit_form import KINDS
from edge.tape.unaudited import Unaudited
from tests.support.tape_disks import QuickDisk

AnyAudit = Union[Audit, Unaudited]
SECRET = "hunter2-hunter2"


def redact(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def on_card(state: str, receipts: bool) -> AnyAudit:
    return Audit.open(state, redact, receipts, QuickDisk())


def opened_again(state: str, receipts: bool) -> AnyAudit:
    on_card(state, receipts).close()
    return on_card(state, receipts)


def in_memory(state: str, receipts: bool) -> AnyAudit:
    return Unaudited(redact, receipts)


@pytest.fixture(params=[on_card, opened_again, in_memory])
def make(request: pytest.FixtureRequest, tmp_path) -> Callable[..., AnyAudit]:
    return lambda receipts=True: request.param(str(tmp_path), receipts)


@pytest.fixture
def audit(make: Callable[..., AnyAudit]) -> Iterator[AnyAudit]:
    made = make()
    yield made
    made.close()


def test_it_says_what_it_is(audit: AnyAudit) -> None:
    assert bool(audit.notice) is not audit.durable
    assert audit.failed == ""


def test_the_key_is_the_first_record_and_numbers_follow_without_a_gap(audit: AnyAudit) -> None:
    assert [audit.intent({"call": f"c{n}"}, n % 3 == 0) for n in range(50)] == list(range(2, 52))
    assert audit.note("stop", {"why": "the operator"}, True) == 52
    audit.outcome({"call": "c1"}, True, False)
    assert audit.note("note", {}) == 54
    assert audit.head.startswith("54:") and len(audit.head) == 67
    audit.sync()


def test_every_kind_and_no_other_is_taken(audit: AnyAudit) -> None:
    for number, kind in enumerate(sorted(KINDS - {"rotate"}), 2):
        assert audit.note(kind, {}) == number
    with pytest.raises(TapeFault, match="not a kind of audit record"):
        audit.note("gossip", {})


@pytest.mark.parametrize("value", [float("nan"), b"bytes", object()], ids=["nan", "bytes", "object"])
def test_what_cannot_be_kept_is_refused_and_takes_no_number(audit: AnyAudit, value: object) -> None:
    with pytest.raises(TapeFault, match=r"an? intent record of the audit holds what cannot be kept"):
        audit.intent({"args": {"x": value}})
    assert audit.intent({"args": {"x": "fine"}}) == 2


def test_only_a_success_gets_a_receipt(audit: AnyAudit) -> None:
    given = audit.outcome({"call": "c1", "status": "done"}, True, True)
    assert given.startswith("r-") and len(given) == 22
    for status in ("denied", "refused", "replaced", "failed", "interrupted", "deadline"):
        assert audit.outcome({"call": "c2", "status": status}, False, False) == ""
    assert audit.known(given) and audit.known(given.upper())
    assert audit.outcome({"call": "c1", "status": "done"}, True, True) != given


def test_with_receipts_off_nothing_gets_one(make: Callable[..., AnyAudit]) -> None:
    audit = make(False)
    assert audit.outcome({"call": "c1", "status": "done"}, True, True) == ""
    audit.close()


def test_a_receipt_that_nobody_gave_is_found_in_an_answer(audit: AnyAudit) -> None:
    given = audit.outcome({"call": "c1", "status": "done"}, True, True)
    other = "r-" + "a2b3c4d5e6" * 2
    answer = f"The fan runs (receipt {given}), the pump too (receipt `{other}`), see r-squared and r-{given}."
    assert audit.unknown(answer) == (other,)
    assert audit.unknown("Nothing was done.") == ()
    assert not audit.known("r-") and not audit.known("") and not audit.known("r-" + "0" * 20)


def test_threads_share_it(audit: AnyAudit) -> None:
    numbers: list[int] = []

    def write() -> None:
        numbers.extend(audit.intent({"call": "c1"}, False) for _ in range(100))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(numbers) == list(range(2, 402))


def test_after_closing_nothing_is_taken_and_closing_twice_is_nothing(audit: AnyAudit) -> None:
    audit.close()
    audit.close()
    for act in (lambda: audit.intent({}), lambda: audit.outcome({}, True, True), lambda: audit.note("note", {})):
        with pytest.raises(TapeFault, match="the audit log is closed"):
            act()
    with pytest.raises(TapeFault, match="the audit log is closed"):
        audit.sync()
