"""What is asked of a design's workloads: a model to train on it, and a model to serve."""

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import cast

from django import forms

from designer.forms.asking import AskForm, ask, hidden, mapping_of, number_of
from designer.wording.names import PRECISIONS, SERVED_PRECISIONS, TASKS
from estimator.digits import is_whole_number
from estimator.errors import Problem, SpecError
from estimator.record import Given, Json
from estimator.search.columns.work import INFER, TRAIN
from estimator.workloads.models.catalog import catalog_models
from estimator.workloads.models.counts import total_parameters

TRAINING_DEFAULTS = {
    "train_model": "llama3-70b",
    "train_precision": "bf16",
    "task": "pretrain",
    "sequence": "8192",
    "tokens": "15",
    "train_beside": "",
}
SERVING_DEFAULTS = {
    "serve_model": "llama3-70b",
    "serve_precision": "fp8",
    "prompt_tokens": "2048",
    "answer_tokens": "512",
    "concurrency": "64",
    "tpot_ms": "",
    "ttft_ms": "",
    "beside": "",
}
POOLS, SERVERS = "pools", "servers"
BESIDE = {"": "nothing else", POOLS: "prefill and decode apart", SERVERS: "servers of other domains"}
TRAIN_BESIDE = {key: BESIDE[key] for key in ("", SERVERS)}
PLACEMENT_DEFAULTS = {"job_name": "job", "script": "train.py", "image": "IMAGE"}
MOST_DIGITS = 9
WORK, WORK_MODEL, WORK_LOAD, WORK_KEPT = "work", "work_model", "work_load", "work_kept"  # of a search or a sweep
WORK_CONTROLS = (WORK, WORK_MODEL, WORK_LOAD)
USUAL_LOAD, USUAL_MODEL = 4096, "llama3-70b"


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
    train_beside = ask("Compare with", choices=TRAIN_BESIDE.items())


def training_form(query: Given, n_gpus: int) -> TrainingForm:
    """The form as an address fills it in, with defaults for what it leaves out: a sequence a GPU."""
    usual = TRAINING_DEFAULTS | {"batch": str(n_gpus)}
    return TrainingForm({name: query.get(name) or usual[name] for name in TrainingForm.base_fields})


class ServingForm(AskForm):
    """A model, its lengths, its load and what has to be met."""

    serve_model = ask("Model to serve", choices=models())
    serve_precision = ask("Precision", choices=SERVED_PRECISIONS.items())
    prompt_tokens = ask("Prompt", unit="tokens", inputmode="numeric", maxlength=9)
    answer_tokens = ask("Answer", unit="tokens", inputmode="numeric", maxlength=9)
    concurrency = ask("Concurrency", unit="requests a replica", inputmode="numeric", maxlength=7)
    tpot_ms = ask("Time per token, at most", unit="ms", inputmode="decimal", maxlength=8)
    ttft_ms = ask("Time to first token, at most", unit="ms", inputmode="decimal", maxlength=8)
    beside = ask("Compare with", choices=BESIDE.items())


def serving_form(query: Given) -> ServingForm:
    """The form as an address fills it in, with defaults for what it leaves out."""
    return ServingForm({name: query.get(name) or SERVING_DEFAULTS[name] for name in ServingForm.base_fields})


def model_typed(query: Given, field: str) -> str:
    """The model of a form's field, or its default."""
    return str(query.get(field) or (TRAINING_DEFAULTS | SERVING_DEFAULTS)[field])


SHAPE_KEYS = {
    "own_layers": "layers",
    "own_hidden": "hidden",
    "own_heads": "heads",
    "own_kv_heads": "kv_heads",
    "own_head_dim": "head_dim",
    "own_ffn": "ffn",
    "own_vocab": "vocab",
}
EXPERT_KEYS = {
    "own_experts": "count",
    "own_top_k": "top_k",
    "own_expert_ffn": "ffn",
    "own_shared_ffn": "shared_ffn",
    "own_leading_dense": "leading_dense",
}
USES = {"both": "Training and serving", "train": "Training", "serve": "Serving"}


class OwnModelForm(AskForm):
    """A model that the catalog lacks: a hub's config.json, or its sizes in plain fields."""

    own_config = ask("config.json of a model hub", is_wide=True)
    own_name = ask("Name", maxlength=80)
    own_layers = ask("Layers", inputmode="numeric", maxlength=9)
    own_hidden = ask("Hidden size", inputmode="numeric", maxlength=9)
    own_heads = ask("Heads", inputmode="numeric", maxlength=9)
    own_kv_heads = ask("Key-value heads", inputmode="numeric", maxlength=9)
    own_head_dim = ask("Head size", inputmode="numeric", maxlength=9)
    own_ffn = ask("Feed-forward size", inputmode="numeric", maxlength=9)
    own_vocab = ask("Vocabulary", inputmode="numeric", maxlength=9)
    own_tied = ask("Embedding and head", choices=(("", "two matrices"), ("yes", "one matrix (tied)")))
    own_experts = ask("Experts a layer", inputmode="numeric", maxlength=9)
    own_top_k = ask("Experts a token", inputmode="numeric", maxlength=9)
    own_expert_ffn = ask("Size of an expert", inputmode="numeric", maxlength=9)
    own_shared_ffn = ask("Size of shared experts", inputmode="numeric", maxlength=9)
    own_leading_dense = ask("First layers without experts", inputmode="numeric", maxlength=9)
    own_use = ask("Use it for", choices=USES.items())

    def field_of(self, problem: Problem) -> str | None:
        """The field of a key of the shape; that of the text where there is one."""
        names = {key: name for name, key in SHAPE_KEYS.items()} | {
            f"experts.{key}": name for name, key in EXPERT_KEYS.items()
        }
        if self.text("own_config"):
            return "own_config"
        return names.get(problem.field.partition(".")[2], super().field_of(problem))

    def keys(self) -> Json:
        """The plain fields as the keys of a shape.

        Raises
        ------
        SpecError
            With the first field that has no whole number.
        """
        experts = self._typed(EXPERT_KEYS)
        other = {"name": self.text("own_name"), "tied": bool(self.text("own_tied")), "experts": experts}
        return self._typed(SHAPE_KEYS) | {key: value for key, value in other.items() if value}

    def _typed(self, keys: Mapping[str, str]) -> Json:
        return {key: whole(name, text) for name, key in keys.items() if (text := self.text(name))}


class PlacementForm(AskForm):
    """Which of the layouts is put on the nodes, and what files call its parts."""

    placed = ask("Layout to place", choices=[("", "")])
    job_name = ask("Name of the job", maxlength=40)
    script = ask("Training script", maxlength=200)
    weights = ask("Model, as the engine finds it", maxlength=200)
    image = ask("Container image", maxlength=200)


def placement_form(query: Given, layouts: Mapping[str, str], weights: str) -> PlacementForm:
    """The form as an address fills it in: the first of ``layouts`` (key → label) where it names none of them."""
    placed = query.get("placed") if query.get("placed") in layouts else next(iter(layouts), "")
    usual = PLACEMENT_DEFAULTS | {"weights": weights}
    values = {name: query.get(name) or usual.get(name) for name in PlacementForm.base_fields}
    form = PlacementForm(values | {"placed": placed})
    cast(forms.Select, form.fields["placed"].widget).choices = list(layouts.items())
    return form


def whole(name: str, text: str) -> int:
    """A whole number that was typed into a field; SpecError beside the field where it is none."""
    bare = text.replace(",", "").replace(" ", "")
    if not is_whole_number(bare, MOST_DIGITS):
        raise SpecError([Problem(name, "wrong_type", f"'{text[:20]}' is no whole number. Type one, such as 8192.")])
    return int(bare)


def number(name: str, text: str) -> float:
    """A number above 0 that was typed into a field; SpecError beside the field where it is none."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise SpecError([Problem(name, "wrong_type", f"'{text[:20]}' is no number above 0. Type one, such as 0.5.")])
    return value


# ---------------------------------------------------------------- what runs on the designs of a search or a sweep


def work_fields() -> dict[str, forms.Field]:
    """Which kind of workload, its model, requests in flight, and what else its request has."""
    kinds = [("", "None"), (TRAIN, "Training"), (INFER, "Serving")]
    return {
        WORK: ask("Workload", "For step time, tokens and dollars a million tokens.", kinds),
        WORK_MODEL: ask("Model", "", models()),
        WORK_LOAD: ask("Requests in flight, of serving", "", inputmode="numeric", placeholder=f"{USUAL_LOAD:,}"),
        WORK_KEPT: hidden(),
    }


def work_initial(values: Given) -> Json:
    """The controls of the workload of a request."""
    workload = mapping_of(values.get("workload"))
    kind = next((one for one in (TRAIN, INFER) if one in workload), "")
    request = mapping_of(workload.get(kind))
    model, load = request.get("model") or USUAL_MODEL, request.get("concurrency")
    kept = json.dumps(workload) if workload else ""
    return {WORK: kind, WORK_MODEL: model, WORK_LOAD: load, WORK_KEPT: kept}


def work_asked(given: Given) -> Json | None:
    """The workload of what was sent, with the keys of the request that the form does not show; None where nothing runs."""
    if not (kind := given.get(WORK)):
        return None
    kept = mapping_of(given.get(WORK_KEPT))
    load = {"concurrency": number_of(given.get(WORK_LOAD))} if kind == INFER and given.get(WORK_LOAD) else {}
    return {kind: {**mapping_of(kept.get(kind)), "model": given.get(WORK_MODEL), **load}}
