"""Queries of bring-up."""

from typing import Any

from rest_framework import serializers

from designer.api.serializers import _choice
from estimator.bringup.renderings.targets import TARGETS

LONGEST_NAME = 300


class StateQuery(serializers.Serializer[Any]):
    revision = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        help_text="A named version; without it the design as it is now.",
    )


class ChangesQuery(serializers.Serializer[Any]):
    """``from`` is no name in Python."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        sides = {"from": "The earlier named version.", "to": "The later one; without it the design as it is now."}
        return {
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
