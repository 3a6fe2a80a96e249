"""Records are frozen, slotted, compared by value, and compile their own constructor."""

from __future__ import annotations

import pytest

from edge.record import Record, as_dict, replace


class Point(Record):
    x: int
    y: int = 2


class Named(Point):
    name: str = "n"


class Checked(Record):
    value: int

    def check(self) -> None:
        if self.value < 0:
            raise ValueError("negative")


class Empty(Record):
    pass


def test_fields_come_in_order_with_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1, 5).y, Point(y=3, x=1)) == (1, 2, 5, Point(1, 3))


def test_the_first_instance_and_the_later_ones_take_the_same_arguments() -> None:
    class Late(Record):
        x: int
        y: int = 2

    made = [Late(1), Late(1), Late(1, y=2), Late(y=2, x=1)]
    assert made == made[::-1] and repr(made[0]) == repr(made[1])
    for wrong in (lambda: Fresh(), lambda: Fresh(1, 2), lambda: Fresh(1, x=1), lambda: Fresh(z=1)):

        class Fresh(Record):
            x: int

        for _ in range(3):
            with pytest.raises(TypeError):
                wrong()
            Fresh(1)


@pytest.mark.parametrize("wrong", [lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, z=2)])  # type: ignore[call-arg]
def test_missing_and_unknown_arguments_are_type_errors(wrong: object) -> None:
    with pytest.raises(TypeError):
        wrong()  # type: ignore[operator]


def test_fields_may_have_the_names_of_what_makes_a_record() -> None:
    class Names(Record):
        made: int
        cls: int
        space: int = 3
        new: int = 4

    for _ in range(3):
        names = Names(1, 2)
        assert as_dict(names) == {"made": 1, "cls": 2, "space": 3, "new": 4}
        assert as_dict(replace(names, cls=7)) == {"made": 1, "cls": 7, "space": 3, "new": 4}


MADE = (lambda: Point(1), lambda: replace(Point(1), y=2), lambda: Named(1), lambda: Checked(1))


@pytest.mark.parametrize("make", MADE)
def test_however_it_was_made_a_record_is_of_its_class_and_frozen(make) -> None:
    for _ in range(3):
        made = make()
        assert type(made) in (Point, Named, Checked) and isinstance(made, Record)
        assert made == make() and repr(made) == repr(make())
        for change in (lambda: setattr(made, type(made).__fields__[0], 3), lambda: setattr(made, "z", 3)):  # noqa: B023
            with pytest.raises(AttributeError, match="frozen"):
                change()


def test_a_record_cannot_be_changed_or_grow() -> None:
    point = Point(1)
    for change in (lambda: setattr(point, "x", 3), lambda: setattr(point, "z", 3), lambda: delattr(point, "x")):
        with pytest.raises(AttributeError, match="frozen"):
            change()
    assert not hasattr(point, "__dict__")


def test_replace_makes_another_and_refuses_unknown_names() -> None:
    point = Point(1)
    assert replace(point, y=9) == Point(1, 9) and point == Point(1)
    with pytest.raises(TypeError):
        replace(point, nope=1)


def test_equality_needs_the_same_class_and_hash_follows() -> None:
    assert Point(1) == Point(1) != Point(2)
    assert Named(1) != Point(1)
    assert hash(Point(1)) == hash(Point(1))
    with pytest.raises(TypeError):
        hash(Point({}))  # type: ignore[arg-type]


def test_a_subclass_compiles_its_own_constructor_whichever_comes_first() -> None:
    class Base(Record):
        a: int = 1

    class Child(Base):
        b: int = 2

    assert Base(5).a == 5
    assert (Child(5, 6).a, Child(5, 6).b) == (5, 6)
    assert Child(7) == Child(7, 2)


def test_check_is_called_by_the_constructor_and_by_replace() -> None:
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    with pytest.raises(ValueError, match="negative"):
        replace(Checked(1), value=-1)


def test_as_dict_goes_into_nested_records_and_tuples() -> None:
    class Line(Record):
        points: tuple[Point, ...]

    assert as_dict(Line((Point(1), Point(2, 3)))) == {"points": [{"x": 1, "y": 2}, {"x": 2, "y": 3}]}


def test_an_empty_record_exists() -> None:
    assert Empty() == Empty() and repr(Empty()) == "Empty()" and replace(Empty()) == Empty()


def test_repr_can_be_read() -> None:
    assert repr(Named(1)) == "Named(x=1, y=2, name='n')"
