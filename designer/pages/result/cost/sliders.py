"""The figures of the cost that a reader may move on the page: their fields, and what was typed as a change of the design."""

from dataclasses import dataclass
from typing import Any

from designer.forms.keys import ALL_KEYS, cost_rows
from designer.services.designs.what_if import SECTION
from designer.wording.context import Context
from designer.wording.numbers import significant
from estimator.catalog.loader import load_catalog
from estimator.cost.result import Cost
from estimator.record import Given
from estimator.spec.change import read_path

PERCENT = 100
CLOUD = "cloud_usd_per_gpu_hour"
YEARS = "years"
MAX_TEXT = 40


@dataclass(frozen=True)
class Slider:
    """One key of ``economics`` with the span of its slider; ``factor`` turns its value into what is typed."""

    name: str
    low: float
    high: float
    step: float
    unit: str
    before: str = ""
    factor: int = 1

    @property
    def path(self) -> str:
        """Its dotted key in a request."""
        return SECTION + self.name

    @property
    def label(self) -> str:
        """Its name on the form of the design."""
        return str(ALL_KEYS[self.path].info.title)

    def typed(self, value: Any) -> str:
        """The value as its field shows it; text that is no number as it is."""
        if value is None or isinstance(value, str):
            return value or ""
        return f"{round(float(value) * self.factor, 6):g}"

    def reported(self, value: Any) -> str:
        """The value with its unit: "$0.085 per kWh", "80 %"."""
        if value is None or isinstance(value, str):
            return value or "none"
        space = "" if not self.unit else "\N{NO-BREAK SPACE}" if self.unit == "%" else " "
        return f"{self.before}{significant(round(float(value) * self.factor, 6))}{space}{self.unit}"

    def parse(self, text: str) -> Any:
        """What was typed as a value of the request; text that is no number stays text, and parse_spec says what is wrong."""
        value = ALL_KEYS[self.path].parse(text)
        return round(value / self.factor, 10) if self.factor > 1 and isinstance(value, float) else value


SLIDERS = (
    Slider(YEARS, 1, 7, 1, "years"),
    Slider("utilization", 10, 100, 1, "%", factor=PERCENT),
    Slider("electricity_usd_per_kwh", 0, 0.5, 0.005, "per kWh", before="$"),
    Slider("pue", 1, 2, 0.01, ""),
    Slider("discount_rate", 0, 25, 0.5, "% a year", factor=PERCENT),
    Slider(CLOUD, 0.1, 12, 0.05, "per GPU-hour", before="$"),
    Slider("colocation_usd_per_kw_month", 0, 500, 5, "per kW-month", before="$"),
    Slider("support_server", 0, 20, 0.5, "% a year", factor=PERCENT),
    Slider("support_switch", 0, 20, 0.5, "% a year", factor=PERCENT),
    Slider("support_other", 0, 20, 0.5, "% a year", factor=PERCENT),
)


def values_of(cost: Cost) -> Context:
    """Name → the value that an estimate's cost rests on, for each slider that has a part in it; a cloud price may be None."""
    used = {item.name: item.value for item in cost.assumptions}
    found: Context = {YEARS: cost.tco_years, CLOUD: cost.rent.cloud_usd_per_gpu_hour}
    rows = cost_rows(load_catalog())
    for slider in SLIDERS:
        if rows.get(slider.path) in used:
            found[slider.name] = used[rows[slider.path]]
    return found


def change_of(answers: Given, cost: Cost, spec: Given) -> Context:
    """Dotted key → value, for the fields that differ from the estimate's; a blank takes away what the design gives."""
    known, change = values_of(cost), {}
    for slider in SLIDERS:
        text = answers.get(slider.name)
        if slider.name not in known or text is None:
            continue
        text = str(text).strip()[:MAX_TEXT]
        if text == slider.typed(known[slider.name]):
            continue
        if text:
            change[slider.path] = slider.parse(text)
        elif read_path(spec, slider.path) is not None and slider.name != YEARS:
            change[slider.path] = None
    return change


def slider_rows(cost: Cost, change: Given) -> list[Context]:
    """A row a slider: its span, widened to its value where that lies outside, and its value with ``change``."""
    known, rows = values_of(cost), []
    for slider in (slider for slider in SLIDERS if slider.name in known):
        value = change.get(slider.path, known[slider.name])
        at = _position(slider, value, cost)
        rows.append(
            {
                "name": slider.name,
                "label": slider.label,
                "unit": slider.unit,
                "before": slider.before,
                "step": f"{slider.step:g}",
                "low": f"{min(slider.low, at):g}",
                "high": f"{max(slider.high, at):g}",
                "at": f"{at:g}",
                "typed": slider.typed(value),
                "estimate": slider.typed(known[slider.name]),
                "reported": slider.reported(known[slider.name]),
                "is_moved": slider.path in change,
            }
        )
    return rows


def _position(slider: Slider, value: Any, cost: Cost) -> float:
    """Where the slider stands: at the break-even price where no cloud price is given, at its low end for nonsense."""
    if value is None and slider.name == CLOUD:
        return round(cost.rent.break_even_usd_per_gpu_hour.typical, 2)
    return round(float(value) * slider.factor, 6) if isinstance(value, int | float) else slider.low


def moved_rows(cost: Cost, change: Given) -> list[dict[str, str]]:
    """What ``change`` moves, in words: name, value of the estimate, new value, and the field as it was typed."""
    known, rows = values_of(cost), []
    for slider in (slider for slider in SLIDERS if slider.path in change):
        value = change[slider.path]
        rows.append(
            {
                "name": slider.name,
                "label": slider.label,
                "before": slider.reported(known[slider.name]),
                "after": "automatic" if value is None else slider.reported(value),
                "typed": slider.typed(value),
            }
        )
    return rows
