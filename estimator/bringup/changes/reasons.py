"""Why a value differs: which circumstances of it have changed, in words."""

from collections.abc import Iterator, Mapping

from estimator.bringup.plan.facts import facts
from estimator.bringup.plan.plan import Plan, circumstances
from estimator.bringup.plan.systems import SYSTEMS, usual_system
from estimator.fabric.devices import SWITCH_KINDS
from estimator.record import Given

WORDS = {
    "trimming": "the data class is {after} ({before} before)",
    "addressing": "node ports have {after} ({before} before)",
    "protocol": "the fabric is {after} ({before} before)",
    "gpu_vendor": "the GPUs are of {after} ({before} before)",
    "os": "{kind} switches run {after} ({before} before)",
    "asic": "{kind} switches have {after} silicon ({before} before)",
    "vendor": "{kind} switches are of {after} ({before} before)",
}
OF_CHOICES = {"trimming": ("lossless", "lossy with trimming"), "addressing": ("a /31 each", "a subnet a leaf")}
"""Words of a choice that is the usual one, and of one that is not."""
MOST_FIELDS = 4  # of the request that are named where no circumstance says why
NONE = "none"


class Reasons:
    """Two states of a design, asked why a value of theirs differs."""

    def __init__(self, before: Plan, after: Plan) -> None:
        self._before, self._after = before, after

    def of_value(self, key: str, kind: str) -> str:
        """Why a value of a kind of switch differs; of all kinds where ``kind`` is empty."""
        scopes = {name for fact in facts().get(key, ()) for name in fact.conditions}
        if "asic_family" in scopes:
            scopes.add("asic")
        kinds = [kind] if kind else self.kinds
        found = [words for one in kinds for words in self._changed(one, scopes)]
        return "because " + " and ".join(dict.fromkeys(found)) if found else self.of_request()

    @property
    def kinds(self) -> list[str]:
        """Kinds of switches that both states have."""
        return [
            kind
            for kind in SWITCH_KINDS
            if all(plan.links.table.devices.n[kind] for plan in (self._before, self._after))
        ]

    def of_part(self, kind: str) -> str | None:
        """Why headroom differs without another cable or rate: the box; None where it is the same."""
        was, now = (_model(plan, kind) for plan in (self._before, self._after))
        return f"because the {kind} switch is now {now} ({was} before)" if was != now else None

    def of_choice(self, name: str) -> str | None:
        """A choice of the plan that differs, in words; None where it is the same."""
        was, now = (name in plan.circumstances for plan in (self._before, self._after))
        pair = OF_CHOICES[name]
        return None if was == now else WORDS[name].format(before=pair[was], after=pair[now])

    def of_request(self) -> str:
        """Fields of the request that differ."""
        was, now = (dict(_flat(plan.links.spec.model_dump(mode="json"))) for plan in (self._before, self._after))
        moved = [path for path in dict.fromkeys([*was, *now]) if was.get(path) != now.get(path) and path != "name"]
        more = f" and {len(moved) - MOST_FIELDS} more" if len(moved) > MOST_FIELDS else ""
        return (
            f"follows from {', '.join(moved[:MOST_FIELDS])}{more}"
            if moved
            else "follows from the versions of model and catalog"
        )

    def _changed(self, kind: str, scopes: set[str]) -> Iterator[str]:
        was, now = (circumstances_of(plan, kind) for plan in (self._before, self._after))
        for name, words in WORDS.items():
            if name in scopes and was.get(name) != now.get(name):
                yield words.format(kind=kind, before=_said(name, was), after=_said(name, now))


def circumstances_of(plan: Plan, kind: str) -> Mapping[str, str]:
    """What facts about a kind of switch can depend on."""
    part = plan.links.switches[kind]
    return circumstances(usual_system(part), part, kind) | plan.circumstances


def _said(name: str, at: Mapping[str, str]) -> str:
    value = at.get(name, NONE)
    if name in OF_CHOICES:
        return OF_CHOICES[name][name in at]
    return SYSTEMS[value].label if name == "os" and value in SYSTEMS else value


def _model(plan: Plan, kind: str) -> str:
    part = plan.links.switches.get(kind)
    return f"{part.vendor} {part.model}" if part else "a custom box"


def _flat(values: Given, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
