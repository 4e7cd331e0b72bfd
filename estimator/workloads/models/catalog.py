"""The catalog of public architectures: ``models.csv``, one row a model, each with where its shape was read.

A column is a field of ``ModelShape`` or, after a dot, of one of its parts (``experts.top_k``). An empty cell is the field's
usual value; a part whose cells are all empty is not there. ``published_params_b`` and ``published_active_b`` are what the
publisher prints, and tests hold the computed counts to them.
"""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from estimator.record import Shape
from estimator.workloads.models.shapes import (
    Details,
    Experts,
    LatentAttention,
    LinearLayers,
    ModelShape,
    SparseIndex,
    Window,
)

DATA = Path(__file__).with_name("models.csv")
USUAL_TOLERANCE = 0.01
PARTS = {
    "window": Window,
    "latent": LatentAttention,
    "index": SparseIndex,
    "linear": LinearLayers,
    "experts": Experts,
    "details": Details,
}


@dataclass(frozen=True)
class CatalogModel(Shape):
    """A shape with the names that it is known by and the counts that its publisher prints, in billions of parameters.

    ``params_slack_b`` and ``active_slack_b`` are how far a computed count may be off: 1 %, or half of the last digit printed if
    that is more, or the row's own ``tolerance``, whose reason the note says.
    """

    shape: ModelShape
    aliases: tuple[str, ...]
    published_params_b: float | None
    published_active_b: float | None
    params_slack_b: float
    active_slack_b: float
    active_counts_embedding: bool
    published_source: str


@cache
def catalog_models() -> dict[str, CatalogModel]:
    """Every model by its id, in the order of the file; read once."""
    with DATA.open(newline="", encoding="utf-8") as file:
        return {row["id"]: _model(row) for row in csv.DictReader(file)}


@cache
def ids_by_name() -> dict[str, str]:
    """Id of each name that a model goes by, in small letters: its id and its aliases."""
    models = catalog_models()
    names = {alias.casefold(): id_ for id_, model in models.items() for alias in model.aliases}
    return names | {id_.casefold(): id_ for id_ in models}


def _model(row: dict[str, str]) -> CatalogModel:
    return CatalogModel(
        shape=_shape(row),
        aliases=tuple(row["aliases"].split("|")) if row["aliases"] else (),
        published_params_b=_number(row["published_params_b"]),
        published_active_b=_number(row["published_active_b"]),
        params_slack_b=_slack(row["published_params_b"], row["tolerance"]),
        active_slack_b=_slack(row["published_active_b"], row["tolerance"]),
        active_counts_embedding=row["active_counts_embedding"] != "no",
        published_source=row["published_source"],
    )


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _slack(printed: str, tolerance: str) -> float:
    if not printed:
        return 0.0
    half_digit = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    return max(float(printed) * float(tolerance or USUAL_TOLERANCE), half_digit)


def _shape(row: dict[str, str]) -> ModelShape:
    own = {key: cell for key, cell in row.items() if cell and key in ModelShape.__annotations__}
    own.setdefault("value_dim", row["head_dim"])
    own.setdefault("attention_layers", row["layers"])
    own.setdefault("ffn", "0")
    if "dense_layers" not in own:
        own["dense_layers"] = str(int(row["layers"]) - int(row["experts.layers"] or 0))
    given = _typed(ModelShape, own)
    for name, kind in PARTS.items():
        cells = {key.partition(".")[2]: cell for key, cell in row.items() if cell and key.startswith(f"{name}.")}
        if name == "window" and cells:
            cells = {key: given[key] for key in ("kv_heads", "head_dim", "value_dim")} | cells
        if cells:
            given[name] = kind(**_typed(kind, cells))
    return ModelShape(**given)


_READ: dict[object, Callable[[str], object]] = {int: int, float: float, str: str, bool: lambda cell: cell == "yes"}


def _typed(kind: type[Shape], cells: Mapping[str, str]) -> dict[str, Any]:
    """Cells as the fields of a dataclass want them."""
    hints = kind.__annotations__
    return {key: _READ[hints[key]](cell) for key, cell in cells.items() if hints[key] in _READ}
