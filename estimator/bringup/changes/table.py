"""Changes of settings as a table: a row each."""

from estimator.bringup.changes.result import SettingChange, SettingsChanges
from estimator.handoff.cells import Cell, csv_blocks, guarded

COLUMNS = ("kind", "key", "devices", "ports", "before", "after", "unit", "why")


def changes_csv(found: SettingsChanges) -> str:
    """The changes in their order as CSV; several devices and ports are separated by spaces."""
    return "".join(csv_blocks(COLUMNS, (_cells(one) for one in found.changes)))


def _cells(one: SettingChange) -> tuple[Cell, ...]:
    places = (" ".join(one.devices), " ".join(one.ports))
    return tuple(map(guarded, (one.kind, one.key, *places, one.before, one.after, one.unit or "", one.why)))
