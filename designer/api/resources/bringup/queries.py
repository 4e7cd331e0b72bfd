"""Queries of bring-up."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from designer.api.serializers import _choice
from estimator.bringup.crew_pack.pack import CREW_FILES
from estimator.bringup.plan.choices import ADDRESSINGS, DATA_CLASSES, MOST_WEEKS, WEEKS
from estimator.bringup.renderings.targets import TARGETS

LONGEST_NAME = 300


def _meanings(words: Iterable[tuple[str, str]]) -> str:
    """Each word of a choice with its meaning."""
    return "; ".join(f"`{word}`: {meaning}" for word, meaning in words) + "."


class ChoicesQuery(serializers.Serializer[Any]):
    addressing = _choice(
        tuple(ADDRESSINGS),
        required=False,
        help_text=f"Addresses of node ports. {_meanings(ADDRESSINGS.items())} The usual one is port.",
    )
    data_class = _choice(
        tuple(DATA_CLASSES),
        required=False,
        help_text=f"How the data class is protected. {_meanings(DATA_CLASSES.items())} The usual one is lossless.",
    )
    weeks = serializers.FloatField(
        required=False,
        help_text=f"Of work at the site, for the crews of the checklist: above 0, at most {MOST_WEEKS}; else {WEEKS:g}.",
    )


class CrewPackQuery(serializers.Serializer[Any]):
    file = _choice(tuple(CREW_FILES), required=False, help_text="One file alone; without it, all of them as a zip.")


class StateQuery(ChoicesQuery):
    revision = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        help_text="A named version; without it the design as it is now.",
    )


class ChangesQuery(ChoicesQuery):
    """``from`` is no name in Python."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        sides = {"from": "The earlier named version.", "to": "The later one; without it the design as it is now."}
        return super().get_fields() | {
            name: serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=name == "from", help_text=text)
            for name, text in sides.items()
        }


class ArchiveQuery(StateQuery):
    target = _choice(tuple(TARGETS), required=False, help_text="One target; without it all that the design has.")


class TargetQuery(StateQuery):
    target = _choice(tuple(TARGETS), help_text="Whose files.")


class SettingsFileQuery(TargetQuery):
    file = serializers.CharField(
        max_length=LONGEST_NAME, required=False, help_text="Its name; without it the target's main file."
    )
