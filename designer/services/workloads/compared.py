"""Other ways to run a model: prefill and decode on GPUs of their own, and servers of other domains, to train or to serve."""

from designer.forms.workloads import ServingForm, TrainingForm, number, whole
from designer.services.workloads import training
from designer.services.workloads.asking import asking
from designer.services.workloads.links import system_keys
from designer.services.workloads.serving import FIELDS, DesignPlacement, keys_of
from estimator.record import Json, Record
from estimator.result import PricedEstimate
from estimator.serving_request.answering import served
from estimator.training_request import trained
from estimator.workloads.servers import ScaleUp
from estimator.workloads.serving.answer import Placement, ServedRow
from estimator.workloads.serving.pools import Comparison, PoolsLayout, words_of_pools
from estimator.workloads.serving.search import Advice

PAIRS_SHOWN = 5
USUAL_TPOT_MS = 50.0


class PoolsPlacement(Record):
    """A pair of pools under the load requested."""

    label: str
    placement: Placement
    why_not: str
    """Why it is not the best; empty for the best one."""

    @property
    def row(self) -> ServedRow:
        """Its figures under the load requested."""
        return self.placement.rows[-1]


class SearchedPools(Record):
    """The best pairs of pools, and whether they beat the same GPUs for both."""

    placements: list[PoolsPlacement]
    comparison: Comparison
    looked_at: int


class _PoolsAnswer(Record):
    """What is read of the verb's answer about pools."""

    placements: list[Json]
    comparison: Json
    looked_at: int
    advice: list[Advice]


class _ServersAnswer(Record):
    """What is read of the verb's answer about servers."""

    scale_up: ScaleUp


_ask_for_pools = asking(served, _PoolsAnswer.from_json, ServingForm, FIELDS, kept=32)
_ask_for_servers = asking(served, _ServersAnswer.from_json, ServingForm, FIELDS, kept=32)
_ask_for_servers_to_train = asking(trained, _ServersAnswer.from_json, TrainingForm, training.FIELDS, kept=32)


def searched_pools(form: ServingForm, estimate: PricedEstimate) -> SearchedPools:
    """Pairs of pools under the load that was typed, of one copy.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    load = {"concurrency": [whole("concurrency", form.text("concurrency"))], "system": system_keys(estimate)}
    request = {**keys_of(form), **load, "mode": "disaggregated", "top": PAIRS_SHOWN}
    answer = _ask_for_pools(request)
    why = {one.placement: one.message for one in answer.advice}
    pairs = [
        PoolsPlacement(
            label=words_of_pools(PoolsLayout.from_json(one.pop("layout"))),
            placement=Placement.from_json(one),
            why_not=why.get(at, ""),
        )
        for at, one in enumerate(map(dict, answer.placements[:PAIRS_SHOWN]))
    ]
    comparison = {key: value for key, value in answer.comparison.items() if key != "aggregated"}
    return SearchedPools(placements=pairs, comparison=Comparison.from_json(comparison), looked_at=answer.looked_at)


def compared_servers(form: ServingForm, estimate: PricedEstimate, best: DesignPlacement | None) -> ScaleUp:
    """The model on servers of other domains, at the time per token that was typed or that the best placement here has.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    request = keys_of(form) | {"design": estimate.spec.as_json(), "compare_servers": True, "top": 1}
    request["target"] |= {"tpot_ms": within_ms(form, best)}
    return _ask_for_servers(request).scale_up


def servers_to_train(form: TrainingForm, estimate: PricedEstimate) -> ScaleUp:
    """The model trained on servers of other domains, on as many GPUs and with the same batch.

    Raises
    ------
    SpecError
        With what is wrong, by the names of the form's fields.
    """
    request = training.keys_of(form) | {"design": estimate.spec.as_json(), "compare_servers": True, "top": 1}
    return _ask_for_servers_to_train(request).scale_up


def within_ms(form: ServingForm, best: DesignPlacement | None) -> float:
    """The time per token that servers are compared at."""
    if text := form.text("tpot_ms"):
        return number("tpot_ms", text)
    return best.row.tpot_ms if best else USUAL_TPOT_MS
