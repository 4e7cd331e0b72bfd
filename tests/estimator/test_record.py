"""Records: their JSON, and that they are what they were made as."""

import copy
import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from estimator.ranges import Range
from estimator.record import IfAny, Newer, Record, Shape


class Length(Record):
    metres: float
    from_: str


class Cable(Record):
    name: str
    length: Length | None
    spares: IfAny[int] = None
    fibres: IfAny[list[Length]] = None


class Labelled(Cable):
    label: str = "none"


@dataclass(frozen=True, slots=True)
class Note(Shape):
    text: str
    change: Mapping[str, Any] | None = None
    more: "tuple[Note, ...]" = ()


def test_json_has_the_keys_in_order_and_leaves_out_what_is_not_there() -> None:
    bare = Cable(name="aoc", length=None)
    assert list(bare.as_json().items()) == [("name", "aoc"), ("length", None)]
    whole = Labelled(
        fibres=[Length(metres=1.5, from_="plan")], name="aoc", length=Length(metres=2.0, from_="default"), spares=0
    )
    assert list(whole.as_json()) == ["name", "length", "spares", "fibres", "label"]
    assert whole.as_json()["length"] == {"metres": 2.0, "from": "default"}
    assert whole.as_json()["fibres"] == [{"metres": 1.5, "from": "plan"}]
    assert (whole.as_json()["spares"], whole.as_json()["label"]) == (0, "none")


def test_a_frozen_dataclass_has_the_same_json() -> None:
    note = Note("wide", {"fabric.tiers": 3}, (Note("narrow"),))
    narrow: dict[str, Any] = {"text": "narrow", "change": None, "more": []}
    assert note.as_json() == {"text": "wide", "change": {"fabric.tiers": 3}, "more": [narrow]}


def test_a_record_does_not_change_and_another_can_be_made_from_it() -> None:
    length = Length(metres=2.0, from_="plan")
    with pytest.raises(AttributeError, match="does not change"):
        length.metres = 3.0  # type: ignore[misc]
    longer = length.but(metres=3.0)
    assert (length.metres, longer.metres, longer.from_) == (2.0, 3.0, "plan")
    assert longer == Length(metres=3.0, from_="plan") != length
    assert copy.deepcopy(length) == pickle.loads(pickle.dumps(length)) == length


@pytest.mark.parametrize("named", [{"metres": 1.0}, {"metres": 1.0, "from_": "plan", "colour": "aqua"}, {}])
def test_a_record_has_all_its_attributes_and_no_others(named: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="Length has metres, from_"):
        Length(**named)


class Tray(Record):
    cables: list[Cable]
    by_name: Mapping[str, Length]
    notes: tuple[Note, ...]
    price_usd: Range[float] | None
    counts: list[list[int]]
    colour: Newer[str | None]
    width: Newer[int | None] = None


def test_a_record_is_read_back_from_its_json() -> None:
    length = Length(metres=1.5, from_="plan")
    tray = Tray(
        cables=[Cable(name="aoc", length=length), Cable(name="dac", length=None, fibres=[length])],
        by_name={"a": length},
        notes=(Note("wide", {"fabric.tiers": 3}, (Note("narrow"),)),),
        price_usd=Range(1.0, 2.0, 3.0),
        counts=[[1], [2, 3]],
        colour=None,
    )
    stored = json.loads(json.dumps(tray.as_json()))
    assert "width" not in stored
    assert Tray.from_json(stored) == tray
    assert Tray.from_json(stored).as_json() == stored
    assert Note.from_json(stored["notes"][0]) == tray.notes[0]


def test_a_key_of_another_model_is_none_or_left_alone() -> None:
    """None where an older model had no such key, and the JSON has none either; what a newer one has is not read."""
    stored: dict[str, Any] = {"cables": [], "by_name": {}, "notes": [], "price_usd": None, "counts": []}
    tray = Tray.from_json(stored | {"weight": 3})
    assert (tray.colour, tray.width) == (None, None)
    assert not hasattr(tray, "weight")
    assert tray.as_json() == stored
