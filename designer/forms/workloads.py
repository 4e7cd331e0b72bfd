"""What is asked of a design's workloads: a model to train on it, and a model to serve."""

from functools import cache

from designer.forms.asking import AskForm, ask
from designer.wording.names import PRECISIONS, TASKS
from estimator.record import Given
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import total_parameters

TRAINING_DEFAULTS = {
    "train_model": "llama3-70b",
    "train_precision": "bf16",
    "task": "pretrain",
    "sequence": "8192",
    "tokens": "15",
}


@cache
def models() -> tuple[tuple[str, str], ...]:
    """Models of the catalog as choices, the smallest first."""
    shapes = sorted((one.shape for one in catalog_models().values()), key=total_parameters)
    return tuple((shape.id, shape.name) for shape in shapes)


class TrainingForm(AskForm):
    """A model, its precision and its batch."""

    train_model = ask("Model to train", choices=models())
    train_precision = ask("Precision", choices=PRECISIONS.items())
    task = ask("Task", choices=TASKS.items())
    sequence = ask("Sequence", unit="tokens", inputmode="numeric", maxlength=9)
    batch = ask("Global batch", unit="sequences", inputmode="numeric", maxlength=8)
    tokens = ask("Train on", unit="trillion tokens", inputmode="decimal", maxlength=8)


def training_form(query: Given, n_gpus: int) -> TrainingForm:
    """The form as an address fills it in, with defaults for what it leaves out: a sequence a GPU."""
    usual = TRAINING_DEFAULTS | {"batch": str(n_gpus)}
    return TrainingForm({name: query.get(name) or usual[name] for name in TrainingForm.base_fields})
