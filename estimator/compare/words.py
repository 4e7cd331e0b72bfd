"""A comparison in plain words: what differs from the baseline, the weightiest first, and what cannot be compared.

Every sentence has a short form for the headline ("40 % fewer switches") and a long one with the figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from estimator.bom.verdict_words import NO_DIFFERENCE as NONE_SHOWN
from estimator.compare.figures import FIGURES, SAME_SHARE, SPEED
from estimator.compare.result import (
    ComparedFigure,
    ComparedItem,
    ComparedTotals,
    ComparisonSummary,
    JudgedChange,
    LeftOut,
    NotComparable,
    Sentence,
    Tone,
)
from estimator.compare.verdicts import Verdicts
from estimator.ranges import Range
from estimator.wording import amount, digits, dollars, in_sentence, percent_of

HEADLINE = 4  # short forms that a headline holds
LARGEST_CHANGE = 1.2  # |ln ratio| beyond which a difference gains no more weight
NO_DIFFERENCE = 0.005  # a share of bandwidth that is not reported
MANY_TIMES = 1.95  # from here on counts, power and bandwidth are reported as multiples
TWICE = 0.005
SAME_SHARE_OF_WEIGHT = 0.22  # weight of "about the same" in what matters, against a change of e times
VERDICT_ON = "network_usd"  # the figure that a verdict over two technologies is about
BETTER: Tone = "better"
WORSE: Tone = "worse"
SAME: Tone = "same"
OTHER: Tone = "other"
_WEIGHTS = {figure.key: figure.weight for figure in FIGURES}
_FEWER = {  # figures that are counted: noun
    "switches": "switches",
    "other_switches": "switches in the other networks",
    "cables": "cables",
    "modules": "transceivers",
    "failures_per_year": "failures a year",
    "stops_per_year": "stops a year",
    "racks": "racks",
}
_PAID = {  # figures that are paid: noun of "network costs 12 % more"
    "servers_usd": "servers",
    "switches_usd": "switches",
    "adapters_usd": "NICs",
    "optics_usd": "optics and cables",
    "facility_usd": "racks and cooling",
    "network_usd": "network",
    "capex_usd": "purchase price",
    "outlay_usd": "outlay",
    "opex_usd_per_year": "running cost",
    "tco_usd": "total cost of ownership",
    "usd_per_gpu_hour": "cost a GPU-hour",
    "usd_per_million_tokens": "cost a million tokens",
    "usd_per_gbit_s_bisection": "price a Gb/s of bisection",
    "usd_per_gb_s_busbw": "price a GB/s of all-reduce",
}
_AMOUNTS = ("purchase price", "outlay", "running cost", "total cost of ownership")  # higher or lower by so much
_PLURAL = ("servers", "switches", "NICs", "optics and cables", "racks and cooling")
_MORE = {  # figures that are measured: noun
    "bisection_gbit_s": "bisection bandwidth",
    "injection_gbit_s": "injection bandwidth",
    "network_w": "power in the network",
    "it_w": "power in all",
}
_ALWAYS = ("busbw_gb_s",)  # said even where nothing differs
_SAID_WITH = {  # a sentence that another one makes superfluous in the headline
    "injection_gbit_s": "bisection_gbit_s",
    "stops_per_year": "failures_per_year",
    "it_w": "network_w",
    "switches_usd": "network_usd",
    "capex_usd": "network_usd",
    "outlay_usd": "network_usd",
    "usd_per_gpu_hour": "tco_usd",
}


@dataclass(frozen=True)
class _Said:
    """A sentence, what it is about in a word or two, and whether it stays although nothing differs."""

    sentence: Sentence
    noun: str
    is_kept: bool = False

    @property
    def is_alike(self) -> bool:
        """Whether its noun alone stands for it, as one of those that are about the same."""
        return self.sentence.tone == SAME and not self.is_kept and not _is_headline_speed(self.sentence.code)


def summary_of(
    side: int,
    baseline: int,
    items: Sequence[ComparedItem],
    figures: Sequence[ComparedFigure],
    totals: ComparedTotals,
    sizes: Sequence[int | None],
    verdicts: Verdicts | None = None,
) -> ComparisonSummary:
    """What one side is against the baseline: a headline, sentences by weight, and what is about the same.

    Between two technologies a price is reported as lower only where ``verdicts`` let it stand; that of the network always has
    its sentence, with the price at which it would turn.
    """
    gpus = [item.gpus for item in items]  # sizes are those of predictions, which not every side has
    known = verdicts or Verdicts([None] * len(items))
    found = [said for figure in figures if (said := _said(figure, side, baseline, sizes, gpus))]
    if words := known.words(side, baseline, [item.label for item in items]):
        found = [_with_verdict(said, words) if said.sentence.code == VERDICT_ON else said for said in found]
    same_scope = _same_scope(totals, side, baseline, gpus, known)
    found += [same_scope] if same_scope else []
    found.sort(key=lambda said: -said.sentence.weight)
    sentences = [said.sentence for said in found if not said.is_alike]
    alike = [said.noun for said in found if said.is_alike]
    shown = _headline(sentences)
    words = ", ".join(shown) if shown else "no difference in any figure"
    if sentences and all(one.tone == SAME for one in sentences) and alike:
        words = f"about the same in {len(alike) + len(sentences)} figures"
    return ComparisonSummary(
        of=side,
        against=baseline,
        headline=f"{items[side].label} against {items[baseline].label}: {words}.",
        phrases=shown or [words],
        sentences=sentences,
        about_the_same=alike,
    )


def _with_verdict(said: _Said, words: str) -> _Said:
    """What has its sentence although nothing differs: a verdict on prices."""
    return replace(said, sentence=said.sentence.but(words=words), is_kept=True)


def _headline(sentences: Sequence[Sentence]) -> list[str]:
    """The weightiest short forms, one of each matter; the predicted all-reduce is always among them."""
    codes = {one.code for one in sentences}
    chosen = [one for one in sentences if _SAID_WITH.get(one.code) not in codes and not _is_detail(one.code)]
    always = [one for one in chosen if one.code in _ALWAYS]
    first = [one for one in chosen if one not in always][: HEADLINE - len(always)]
    return [one.phrase for one in (*first, *always)]


def _is_headline_speed(code: str) -> bool:
    """All-reduce of the largest message: worth a sentence although it is the same."""
    return code in _ALWAYS or (code.startswith("busbw_") and code.endswith("_gpus_gb_s"))


def _is_detail(code: str) -> bool:
    return code.startswith("busbw_") and code not in _ALWAYS


def _said(
    figure: ComparedFigure, side: int, baseline: int, sizes: Sequence[int | None], gpus: Sequence[int | None]
) -> _Said | None:
    """One figure in words; None where it is not compared, not worth a sentence, or nothing on both sides."""
    key, difference = figure.key, figure.differences[side]
    weight = _WEIGHTS.get(key, 8.0 if key.startswith("busbw") else 0.0)
    mine, other = _compared(figure, side), _compared(figure, baseline)
    if difference is None or mine is None or other is None or not weight:
        return None
    ours, theirs = mine.typical, other.typical
    if not ours and not theirs:
        return None
    size = abs(math.log(ours / theirs)) if ours and theirs else LARGEST_CHANGE
    undecided = difference.is_undecided
    same = difference.is_about_same or undecided
    phrase, noun = _phrase(figure, side, baseline, ours, theirs, same, sizes)
    if undecided and phrase:
        phrase = f"{NONE_SHOWN} in {noun}"
    if phrase is None:
        return None
    share = SAME_SHARE_OF_WEIGHT if same else min(size, LARGEST_CHANGE)
    tone = SAME if same else OTHER if difference.is_better is None else BETTER if difference.is_better else WORSE
    sentence = Sentence(
        code=key,
        phrase=phrase,
        words=_sentence(figure, side, baseline, phrase, (ours, theirs), difference, gpus),
        tone=tone,
        weight=round(weight * share, 4),
    )
    return _Said(sentence, noun)


def _compared(figure: ComparedFigure, side: int) -> Range[float] | None:
    """A side's figure as it is compared: for each GPU where clusters differ in size."""
    return (figure.per_gpu or figure.values)[side]


def _typical(figure: ComparedFigure, side: int) -> float:
    """Of a whole side that is compared, and so has a value."""
    value = figure.values[side]
    return value.typical if value else 0.0


def _phrase(
    figure: ComparedFigure,
    side: int,
    baseline: int,
    ours: float,
    theirs: float,
    same: bool,
    sizes: Sequence[int | None],
) -> tuple[str | None, str]:
    key, a_gpu = figure.key, " a GPU" if figure.is_per_gpu else ""
    change, times = _change(ours, theirs), _times_words(ours, theirs)
    if figure.group == SPEED:
        return _speed_phrase(figure, side, baseline, ours, theirs, same, sizes)
    if key == "oversubscription":
        mine, other = (amount(_typical(figure, i), "ratio") for i in (side, baseline))
        return (
            f"same oversubscription ({mine})" if same else f"oversubscribed {mine} instead of {other}"
        ), "oversubscription"
    if key in _FEWER:
        noun = _FEWER[key] + a_gpu
        return _count_phrase(ours, theirs, noun), noun
    if key in _MORE:
        noun = _MORE[key] + a_gpu
        return f"{times} the {noun}" if times else f"{change} {'less' if ours < theirs else 'more'} {noun}", noun
    if key in _PAID:
        noun = _PAID[key]
        if noun in _AMOUNTS or noun.startswith(("cost", "price")):
            return f"{change} {'lower' if ours < theirs else 'higher'} {noun}{a_gpu}", noun + a_gpu
        verb = "cost" if noun in _PLURAL else "costs"
        return (
            f"{noun} {verb} {change} {'less' if ours < theirs else 'more'}{a_gpu}",
            f"price of {'the ' if noun == 'network' else ''}{noun}{a_gpu}",
        )
    return None, key


def _count_phrase(ours: float, theirs: float, noun: str) -> str:
    if ours == theirs:
        return f"as many {noun}"
    if not theirs:
        return f"{digits(ours)} {noun} instead of none"
    if times := _times_words(ours, theirs):
        return f"{times} as many {noun}"
    return f"{_change(ours, theirs)} {'fewer' if ours < theirs else 'more'} {noun}"


def _times_words(ours: float, theirs: float) -> str:
    """Either twice or 2.4 times, in words; nothing for less than MANY_TIMES as much."""
    if not theirs or ours / theirs < MANY_TIMES:
        return ""
    return "twice" if abs(ours / theirs - 2) < TWICE else f"{digits(ours / theirs)} times"


def _speed_phrase(
    figure: ComparedFigure,
    side: int,
    baseline: int,
    ours: float,
    theirs: float,
    same: bool,
    sizes: Sequence[int | None],
) -> tuple[str | None, str]:
    collective, size, where = figure.label.split(", ")
    mine, other = sizes[side], sizes[baseline]
    if where == "all GPUs":
        place = f"at {mine:,} GPUs" if mine == other else f"on all GPUs ({mine:,} against {other:,})"
    else:
        place = f"at {where}"
    message = "" if size == "largest message" else f" of {size}"
    noun = f"predicted {collective.lower()}{message} {place}"
    if same:
        return f"{'same' if ours == theirs else 'about the same'} {noun}", noun
    if times := _times_words(ours, theirs):
        return f"{times} as fast a {noun}", noun
    return f"{_change(ours, theirs)} {'slower' if ours < theirs else 'faster'} {noun}", noun


def _change(ours: float, theirs: float) -> str:
    """The size of a change, such as "40 %"; the whole of it where there was nothing before."""
    return percent_of(ours / theirs - 1) if theirs else "all"


def _sentence(
    figure: ComparedFigure,
    side: int,
    baseline: int,
    phrase: str,
    both: tuple[float, float],
    difference: JudgedChange,
    gpus: Sequence[int | None],
) -> str:
    """The short form with both figures, and what ranges or bands leave open."""
    unit, (mine, other) = figure.unit, both
    start = phrase[0].upper() + phrase[1:]
    if unit == "ratio":
        return f"{start}."
    pair = f"{amount(mine, unit)} against {amount(other, unit)}"
    if figure.is_per_gpu and unit in ("count", "per_year"):  # a share of a switch tells nobody anything
        whole, base = (_typical(figure, i) for i in (side, baseline))
        pair = f"{amount(whole, unit)} for {gpus[side]:,} GPUs against {amount(base, unit)} for {gpus[baseline]:,}"
    if figure.group == SPEED and difference.is_about_same and mine != other:
        if abs(mine / other - 1) < NO_DIFFERENCE:
            return f"{start}: {pair}."
        lower = "lower" if mine < other else "higher"
        return f"{start}: {pair}, {_change(mine, other)} {lower} and within the predicted band."
    if unit in ("usd", "usd_hour") and difference.ranges_overlap and not difference.is_about_same:
        return f"{start} at typical prices: {pair}. The ranges overlap, so that the order may reverse."
    return f"{start}: {pair}."


def _same_scope(
    totals: ComparedTotals, side: int, baseline: int, gpus: Sequence[int | None], verdicts: Verdicts
) -> _Said | None:
    """The price without what a side lacks, where totals do not hold the same; a GPU where clusters differ in size."""
    if not totals.left_out or totals.differences[side].relative is None:
        return None
    ours, theirs = (totals.same_scope_usd[i].typical for i in (side, baseline))
    a_gpu = ""
    if len({size for size in gpus if size}) > 1:
        mine, other = gpus[side], gpus[baseline]
        if not mine or not other:
            return None
        ours, theirs, a_gpu = ours / mine, theirs / other, " a GPU"
    if abs(ours - theirs) <= SAME_SHARE * max(ours, theirs) or verdicts.is_open(
        "same_scope_usd", "usd", ours, theirs, side, baseline
    ):
        return None
    word = "less" if ours < theirs else "more"
    phrase = f"costs {_change(ours, theirs)} {word}{a_gpu} on the same scope"
    size = min(abs(math.log(ours / theirs)), LARGEST_CHANGE) if ours and theirs else LARGEST_CHANGE
    sentence = Sentence(
        code="same_scope_usd",
        phrase=phrase,
        words=f"{phrase[0].upper()}{phrase[1:]}: {dollars(ours)} against {dollars(theirs)}{a_gpu}, without what a side lacks.",
        tone=BETTER if ours < theirs else WORSE,
        weight=round(9.5 * size, 4),
    )
    return _Said(sentence, "price on the same scope")


def not_comparable(
    figures: Sequence[ComparedFigure], items: Sequence[ComparedItem], totals: ComparedTotals
) -> list[NotComparable]:
    """What one side lacks or knows only the least of, in words; rows that totals leave out come first."""
    out = [
        NotComparable(code="left_out", words=f"{row.reason} Totals are compared without them.")
        for row in _once(totals.left_out)
    ]
    out += _other_books(figures, items)
    if len({(item.versions.model, item.versions.catalog) for item in items if item.versions}) > 1:
        words = "The designs were estimated by different versions of model or catalog. Refresh to compare them."
        out.append(NotComparable(code="versions", words=words))
    lacks: dict[tuple[str, ...], list[str]] = {}
    for figure in figures:
        missing = tuple(item.label for item, value in zip(items, figure.values, strict=True) if value is None)
        if missing and len(missing) < len(items):
            lacks.setdefault(("Not known of", *missing), []).append(figure.label)
        least = tuple(item.label for item, some in zip(items, figure.at_least, strict=True) if some)
        if least:
            lacks.setdefault(("Known only at least of", *least), []).append(figure.label)
    for (how, *labels), names in lacks.items():
        of = " and ".join(f"“{label}”" for label in labels)
        out.append(NotComparable(code="figure", words=f"{how} {of}, so not compared: {_listed(names)}."))
    return out


def _other_books(figures: Sequence[ComparedFigure], items: Sequence[ComparedItem]) -> list[NotComparable]:
    """That prices come from several books, where it is not books that are compared: there the parts are the same."""
    books = {item.label: item.own_prices or item.price_book for item in items if item.price_book}
    counts = [figure for figure in figures if figure.unit == "count"]
    if len(set(books.values())) < 2 or all(value == one.values[0] for one in counts for value in one.values):
        return []
    reported = "; ".join(f"“{label}” by {book}" for label, book in books.items())
    words = f"Prices are not of one book, so that a part may differ in price alone: {reported}."
    return [NotComparable(code="books", words=words)]


def _once(left_out: Sequence[LeftOut]) -> list[LeftOut]:
    return list({row.reason: row for row in left_out}.values())


def _listed(names: Sequence[str], most: int = 6) -> str:
    short = [in_sentence(name) for name in names]
    return "; ".join(short[:most]) + (f"; and {len(short) - most} more" if len(short) > most else "")
