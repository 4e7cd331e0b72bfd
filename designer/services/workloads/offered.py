"""Models that the forms of the workloads tab offer: those of the catalog, and those of the address."""

from django import forms

from designer.forms.workloads import model_typed, models
from designer.services.workloads.own_models import OWN, shape_named
from designer.wording.numbers import parameters
from estimator.errors import SpecError
from estimator.record import Given
from estimator.workloads.models.counts import active_parameters, total_parameters
from estimator.workloads.models.shapes import ModelShape

MODEL_FIELDS = ("train_model", "serve_model")


def offer_models(query: Given, *fields: forms.Field) -> None:
    """Let fields offer the models of the address beside the catalog's, each with the parameters of the one it has."""
    own: dict[str, str] = {}
    for name, field in zip(MODEL_FIELDS, fields, strict=True):
        value = model_typed(query, name)
        if shape := _readable(value, name):
            field.help_text = counted(shape)
            own |= {value: f"{shape.name}, your own"} if value.startswith(OWN) else {}
    for field in fields:
        widget = field.widget
        if isinstance(widget, forms.Select):
            widget.choices = [*own.items(), *models()]


def _readable(value: str, field: str) -> ModelShape | None:
    """The shape of a value; None where it cannot be read, which the search beside it says."""
    try:
        return shape_named(value, field)
    except SpecError:
        return None


def counted(shape: ModelShape) -> str:
    """Parameters of a model in a line, and what is to be known of how it was read."""
    total, active = total_parameters(shape), active_parameters(shape)
    words = f"{parameters(total)} parameters" + (f", {parameters(active)} active" if shape.is_moe else "")
    return f"{words}. {shape.own_note}" if shape.own_note else words
