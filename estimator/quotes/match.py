"""Lines of a quote ↔ items of a design: by number, then by what the words say, each with a confidence and its reason."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimator.catalog.catalog import Catalog
from estimator.quotes.items import Item, Known, Numbers, current_key, numbers_of, plain
from estimator.quotes.lines import QuoteLine
from estimator.quotes.part_numbers import contradictions, other_airflow
from estimator.quotes.profile import (
    CABLE,
    FIBER,
    MANAGEMENT,
    MODULE,
    NIC,
    SERVER,
    SWITCH,
    WEIGHTS,
    Profile,
    coded_length_m,
    conflicts,
    record_profile,
    text_profile,
)

MAX_READ = 300  # characters of a description that are read for what a part is
ENOUGH, SURE_ENOUGH = 0.5, 0.68  # for an item that nothing else serves; for one more line of a served item
NOT_PARTS = ("service", "accessory")
HANDED = "by hand"
_RATIOS = ("length_m", "reach_m", "rate_gbit_s", "ports")
_NETWORK_WORDS = {"infiniband": "InfiniBand", "ethernet": "Ethernet"}
_KIND_WORDS = {SWITCH: "switch", NIC: "NIC", MODULE: "transceiver", CABLE: "cable"}
_ALIKE = {MANAGEMENT: SERVER}  # kinds that words do not tell apart


@dataclass(frozen=True, slots=True)
class Match:
    """What a line offers: items by key (several where it does not say a length), or none; and what is wrong with it for them."""

    keys: tuple[str, ...]
    confidence: float
    reason: str
    how: str
    part: str | None = None
    conflicts: tuple[tuple[str, str], ...] = ()
    is_renamed: bool = False
    length_m: float | None = None  # that the line says itself
    contradictions: tuple[str, ...] = ()  # of its number and its words


def match_lines(
    lines: Sequence[QuoteLine],
    items: Sequence[Item],
    catalog: Catalog,
    by_hand: Mapping[str, str | None] | None = None,
    known_already: Mapping[str, Match] | None = None,
) -> list[Match]:
    """The match of every line, in their order.

    Parameters
    ----------
    lines, items : of the quote and of the design
    by_hand : line id → item key, or None for "not in the design": what somebody decided stands
    known_already : line id → match, of lines that offer whole racks (racks.py)
    """
    numbers, by_part = numbers_of(catalog), defaultdict(list)
    for item in items:
        if item.part:
            by_part[item.part].append(item)
    by_key = {item.key: item for item in items}
    own = {plain(item.part_number): item for item in items if item.part_number and item.part is None}
    found: list[Match | None] = []
    profiles: list[Profile] = []
    parts: list[str | None] = []
    for line in lines:
        known = _known(line, numbers)
        parts.append(known.part if known else None)
        profiles.append(_profile(line, known, catalog))
        if by_hand and line.id in by_hand:
            found.append(_as_decided(current_key(by_hand[line.id], catalog), line, by_key, profiles[-1]))
        elif known_already and line.id in known_already:
            found.append(known_already[line.id])
        elif known and known.part in by_part:
            found.append(_by_number(line, known, sorted(by_part[known.part], key=_length), profiles[-1]))
        elif (same := own.get(plain(line.part_number))) is not None:
            found.append(Match((same.key,), 1.0, f"Part number {line.part_number}.", "number"))
        elif profiles[-1].kind in NOT_PARTS:
            what = "a service or licence" if profiles[-1].kind == "service" else "an accessory"
            found.append(Match((), 0.9, f"The words name {what}, not a part of the bill of materials.", "words"))
        else:
            found.append(None)
    matches = _by_words(lines, items, profiles, found, _Others(parts, items, catalog))
    return [
        replace(match, length_m=profile.length_m, contradictions=_contradictions(line, part, catalog))
        for line, match, profile, part in zip(lines, matches, profiles, parts, strict=True)
    ]


def _contradictions(line: QuoteLine, part: str | None, catalog: Catalog) -> tuple[str, ...]:
    number, words = line.part_number or line.other_number, line.description[:MAX_READ]
    return contradictions(number, words, record_profile(part, catalog), text_profile(words)) if number and words else ()


class _Others:
    """Lines whose number is that of a switch or NIC of the catalog which the design does not have: they are no other part."""

    def __init__(self, parts: Sequence[str | None], items: Sequence[Item], catalog: Catalog) -> None:
        self._parts, self._catalog = parts, catalog
        self._profiles = [item.profile for item in items]
        self._own = {item.part for item in items}

    def is_other(self, at: int) -> bool:
        """Whether a line is of such a part: it is never taken for one that is like it."""
        part = self._parts[at]
        return (
            part is not None
            and part not in self._own
            and (part in self._catalog.switches or part in self._catalog.nics)
        )

    def words(self, at: int, profile: Profile) -> str:
        """Why a line matches nothing, with the network that it may belong to."""
        if profile.kind not in (SWITCH, NIC, MODULE, CABLE):
            return "Nothing in the design is like it."
        theirs = profile.protocols or frozenset()
        ours = frozenset[str]().union(*(one.protocols or () for one in self._profiles))
        ours_of_kind = [one for one in self._profiles if one.kind == profile.kind]
        alike = ours_of_kind or [one for one in self._profiles if one.kind in (SWITCH, NIC, MODULE, CABLE)]
        rates = {one.rate_gbit_s for one in alike if one.rate_gbit_s}
        if theirs and ours and not theirs & ours:
            network = " or ".join(_NETWORK_WORDS[name] for name in sorted(theirs))
            return f"It belongs to another network of the cluster: {network}, and the design’s are {_listed(ours)}."
        if profile.rate_gbit_s and rates and profile.rate_gbit_s not in rates:
            return (
                f"It belongs to another network of the cluster: {profile.rate_gbit_s:,} Gb/s, which no "
                f"{_KIND_WORDS[profile.kind]} of the design has."
            )
        return (
            "It is another part than any of the design." if self.is_other(at) else "Nothing in the design is like it."
        )


def _listed(protocols: frozenset[str]) -> str:
    return " and ".join(_NETWORK_WORDS[name] for name in sorted(protocols))


def _length(item: Item) -> float:
    return item.length_m or 0.0


def _known(line: QuoteLine, numbers: Numbers) -> Known | None:
    for number in (line.part_number, line.other_number):
        if number and (known := numbers.by_number(number)):
            return known
    return numbers.by_words(f"{line.description[:MAX_READ]} {line.part_number}") if line.description else None


def _profile(line: QuoteLine, known: Known | None, catalog: Catalog) -> Profile:
    """What the record says where the part is known, and the words where it does not."""
    number = line.part_number or line.other_number
    if not known:
        return text_profile(f"{line.description} {line.part_number}"[:MAX_READ], number)
    record = record_profile(known.part, catalog)
    said = text_profile(line.description[:MAX_READ], number)
    if record is None:
        return said
    if record.kind in (CABLE, FIBER):
        return replace(record, length_m=known.length_m or said.length_m)
    return record


def _as_decided(key: str | None, line: QuoteLine, by_key: Mapping[str, Item], profile: Profile) -> Match | None:
    """What somebody decided; a decision on an item that the design has no more counts no more."""
    if key is None:
        return Match((), 1.0, "Set manually: not in the design.", HANDED)
    item = by_key.get(key)
    if item is None:
        return None
    wrong = tuple(conflicts(item.profile, profile, item.needed_m)) if profile.kind == item.category else ()
    return Match((key,), 1.0, "Set manually.", HANDED, conflicts=wrong)


def _by_number(line: QuoteLine, known: Known, items: Sequence[Item], profile: Profile) -> Match:
    """The item of a known part, by length where it is bought in several."""
    chosen: Sequence[Item] = items
    if items[0].length_m is not None and profile.length_m is not None:
        fitting = [item for item in items if _length(item) <= profile.length_m]
        chosen = [fitting[-1] if fitting else items[0]]
    first = chosen[0]
    number = line.part_number or line.other_number
    wrong = tuple(conflicts(first.profile, profile, first.needed_m)) if len(chosen) == 1 else ()
    wrong += other_airflow(first.part_number or "", number or known.number)
    is_same = plain(number) == plain(first.part_number or "") or known.how == "family"
    renamed = known.how in ("number", "suffix", "base") and not is_same and not _is_other_length(number, first)
    return Match(
        tuple(item.key for item in chosen),
        known.confidence,
        _reason(known, number, first, len(chosen)),
        known.how,
        known.part,
        wrong,
        renamed,
    )


def _is_other_length(number: str, item: Item) -> bool:
    """Cables of one part have a number for each length: that is no other name."""
    return item.length_m is not None and coded_length_m(number) is not None


def _reason(known: Known, number: str, item: Item, n_items: int) -> str:
    name = item.part_number or item.description
    reason = {
        "number": f"Part number {number}."
        if plain(number) == plain(name)
        else f"{number} is another number of {name}.",
        "family": f"{number} is a length of {name}.",
        "suffix": f"{number} is {known.number} with something before or behind it.",
        "base": f"{number} begins as {known.number} does; its ending is another.",
        "words": f"The description names {known.number}.",
        "model": f"The description names the model {known.number}.",
    }[known.how]
    return reason if n_items == 1 else f"{reason} It says no length, so it is spread over {n_items} lengths."


# ---------------------------------------------------------------- by words


def _by_words(
    lines: Sequence[QuoteLine],
    items: Sequence[Item],
    profiles: Sequence[Profile],
    found: list[Match | None],
    others: _Others,
) -> list[Match]:
    """Matches of the lines whose number says nothing: first one for each unserved item, all at once; then the rest."""
    groups: dict[tuple[str, str, Profile], list[int]] = defaultdict(list)
    for at, match in enumerate(found):
        if match is None and not others.is_other(at):
            groups[lines[at].part_number, lines[at].description, profiles[at]].append(at)
    if groups and items:
        keys = list(groups)
        wanted = np.array([sum(lines[at].quantity for at in groups[key]) for key in keys])
        scores = _scores(keys, items)
        served = _served(lines, items, found)
        for group, column in _assigned(scores, wanted, items, served):
            _give(groups[keys[group]], lines, items[column], keys[group][2], float(scores[group, column]), found)
        for group, key in enumerate(keys):
            at = groups[key][0]
            if found[at] is None:
                column = int(scores[group].argmax())
                is_free_of_conflict = not conflicts(items[column].profile, key[2], items[column].needed_m)
                if scores[group, column] >= SURE_ENOUGH and is_free_of_conflict:
                    _give(groups[key], lines, items[column], key[2], float(scores[group, column]), found)
    return [match or Match((), 0.6, others.words(at, profiles[at]), "words") for at, match in enumerate(found)]


def _served(lines: Sequence[QuoteLine], items: Sequence[Item], found: Sequence[Match | None]) -> dict[str, int]:
    """Pieces of each item that lines without fault offer."""
    served: dict[str, int] = defaultdict(int)
    for line, match in zip(lines, found, strict=True):
        if match and not match.conflicts and not line.is_option:
            for key in match.keys:
                served[key] += line.quantity
    return {item.key: served[item.key] for item in items}


def _assigned(scores: Any, wanted: Any, items: Sequence[Item], served: Mapping[str, int]) -> list[tuple[int, int]]:
    """(group, item) pairs of the assignment with the largest sum of scores; a fitting quantity counts a little."""
    from scipy.optimize import linear_sum_assignment  # for a fast start: scipy takes long to load

    open_items = [at for at, item in enumerate(items) if served[item.key] < item.quantity]
    if not open_items:
        return []
    part = scores[:, open_items].astype(float)
    for column, at in enumerate(open_items):
        part[:, column] += 0.06 * np.isin(wanted, (items[at].quantity, items[at].whole))
    part[part < ENOUGH] = 0.0
    rows, columns = linear_sum_assignment(part, maximize=True)
    return [(int(r), open_items[int(c)]) for r, c in zip(rows, columns, strict=True) if part[r, c] >= ENOUGH]


def _give(
    group: Sequence[int],
    lines: Sequence[QuoteLine],
    item: Item,
    profile: Profile,
    score: float,
    found: list[Match | None],
) -> None:
    wrong = tuple(conflicts(item.profile, profile, item.needed_m))
    agreed = [
        name.removesuffix("_gbit_s").removesuffix("_m").replace("_", " ").replace("n far", "ends")
        for name in WEIGHTS
        if _agrees(getattr(item.profile, name), getattr(profile, name))
    ]
    words = f"Like {item.text} by {', '.join(agreed[:6])}." if agreed else f"Like {item.text} by its words."
    for at in group:
        is_renamed = bool(lines[at].part_number)
        found[at] = Match((item.key,), round(min(score, 0.85), 2), words, "description", None, wrong, is_renamed)


def _agrees(want: Any, have: Any) -> bool:
    if want is None or have is None:
        return False
    return bool(want & have) if isinstance(want, frozenset) else str(want).upper() == str(have).upper()


def _scores(keys: Sequence[tuple[str, str, Profile]], items: Sequence[Item]) -> Any:
    """Likeness of each group to each item, 0 to 0.9, shape (n_groups, n_items); 0 where the kinds differ."""
    mine, theirs = list(dict.fromkeys(key[2] for key in keys)), [item.profile for item in items]
    place = {profile: at for at, profile in enumerate(mine)}
    agreed = np.zeros((len(mine), len(theirs)), dtype=np.float32)
    known = np.zeros_like(agreed)
    for name, weight in WEIGHTS.items():
        alike, both = _likeness(name, mine, theirs)
        agreed += weight * alike * both
        known += weight * both
    mine_of = np.array([place[key[2]] for key in keys])
    agreed, known = agreed[mine_of], known[mine_of]
    text = _text_likeness([f"{key[0]} {key[1]}" for key in keys], [_item_words(item) for item in items])
    kinds = np.array([_ALIKE.get(item.category, item.category) for item in items])
    said = np.array([key[2].kind or "" for key in keys])
    same = said[:, None] == kinds[None, :]
    unsaid = (said == "")[:, None]
    agreed, known = agreed + 3 * same, known + 3 * same  # of one kind: that alone says something
    evidence = np.minimum((known + 4 * text) / 8, 1)
    scores = (agreed + 3 * text) / (known + 3) * (0.55 + 0.45 * evidence)
    return np.where(same, scores, np.where(unsaid, np.minimum(scores, 0.6) * (text > 0.5), 0.0))


def _likeness(name: str, mine: Sequence[Profile], theirs: Sequence[Profile]) -> tuple[Any, Any]:
    """(likeness 0 to 1, whether both say something), shape (n_groups, n_items)."""
    left, right = ([getattr(profile, name) for profile in side] for side in (mine, theirs))
    both = np.array([v is not None for v in left])[:, None] & np.array([v is not None for v in right])[None, :]
    if name in _RATIOS:
        a, b = (np.array([v or 1e-9 for v in side], dtype=np.float32) for side in (left, right))
        ratio = np.minimum(a[:, None], b[None, :]) / np.maximum(a[:, None], b[None, :])
        half = 0.5 if name in ("rate_gbit_s", "ports") else 0.2
        return np.where(ratio > 0.9999, 1.0, np.where(np.isclose(ratio, 0.5), half, 0.4 * ratio)), both
    if name == "protocols":
        ours, its = (
            np.array([[p in (v or ()) for p in ("infiniband", "ethernet")] for v in side]) for side in (left, right)
        )
        return (ours[:, None, :] & its[None, :, :]).any(axis=2), both
    codes: dict[str, int] = {}
    a, b = (np.array([codes.setdefault(str(v).upper(), len(codes)) for v in side]) for side in (left, right))
    return a[:, None] == b[None, :], both


def _item_words(item: Item) -> str:
    return f"{item.part_number or ''} {item.description} {item.category} {' '.join(item.uses)}"


def _text_likeness(mine: Sequence[str], theirs: Sequence[str]) -> Any:
    """Share of the shorter text's words that the other has too, rare words counting more."""
    from scipy.sparse import csr_matrix  # for a fast start: scipy takes long to load

    vocabulary: dict[str, int] = {}

    def matrix(texts: Sequence[str]) -> Any:
        rows, columns = [], []
        for row, text in enumerate(texts):
            for word in set(_words(text)):
                rows.append(row)
                columns.append(vocabulary.setdefault(word, len(vocabulary)))
        return rows, columns

    places = [matrix(mine), matrix(theirs)]
    shape = len(vocabulary) or 1
    left, right = (
        csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), (len(texts), shape))
        for (rows, columns), texts in zip(places, (mine, theirs), strict=True)
    )
    n_texts = len(mine) + len(theirs)
    frequency = np.asarray(left.sum(axis=0) + right.sum(axis=0)).ravel()
    rarity = np.log1p(n_texts / np.maximum(frequency, 1)).astype(np.float32)
    weighted = left.multiply(rarity).tocsr()
    shared = (weighted @ right.T).toarray()
    sizes = np.asarray(weighted.sum(axis=1)).ravel(), np.asarray(right.multiply(rarity).sum(axis=1)).ravel()
    return shared / np.maximum(np.minimum(sizes[0][:, None], sizes[1][None, :]), 1e-6)


def _words(text: str) -> list[str]:
    return [word for word in "".join(c if c.isalnum() else " " for c in text.lower()).split() if len(word) > 1]
