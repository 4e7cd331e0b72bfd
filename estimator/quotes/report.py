"""A quote compared with a design: what of it fits, what it lacks, what it has beyond, and what both cost on the same scope."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from estimator.bom.result import BomLine, PriceRate
from estimator.catalog.catalog import Catalog
from estimator.catalog.currency import USD, Rate, Rates, us_cents
from estimator.quotes.counted import PAIR_PIECES, to_pieces
from estimator.quotes.items import Item, items_of
from estimator.quotes.lines import CHARGES, LeftOut, QuoteLine, QuoteReading, major
from estimator.quotes.match import HANDED, Match, match_lines
from estimator.quotes.offers import NEWEST, Offer, count_pieces, mark_doubles, offers_of, pack_of_offers, usd_sum
from estimator.quotes.racks import whole_racks_of
from estimator.quotes.result import (
    CurrencySum,
    ListDiscount,
    MissingItem,
    QuotedItem,
    QuotedLine,
    QuoteProblem,
    QuoteRate,
    QuoteRemark,
    QuoteReport,
    QuoteTotals,
    SameScope,
    Status,
)
from estimator.ranges import in_usd, total_of
from estimator.units import cents_to_usd, counted
from estimator.wording import whole_dollars

PROBLEMS = {  # in the order in which they are reported
    "missing": "Missing from the quote",
    "incompatible": "Not compatible",
    "doubled": "Quoted twice",
    "too_few": "Too few",
    "too_many": "Too many",
    "surplus": "Not in the design",
    "price_high": "Above the book’s range",
    "price_low": "Below the book’s range",
    "contradiction": "Number and words contradict each other",
    "by_metre": "Priced by the metre",
    "by_pack": "Counted in packs",
    "whole_packs": "Rounded up to whole packs",
    "price_mismatch": "Prices that contradict each other",
    "no_price": "Without a price",
    "no_rate": "Without an exchange rate",
    "spares": "Spares not all offered",
    "renamed": "Under another number",
    "unsure": "Matched without certainty",
    "longer": "Longer than needed",
    "quantity_assumed": "Quantity assumed",
    "unknown_currency": "Currency not known",
    "discount": "Discount of the whole list taken off",
    "formula": "From formulas",
    "option": "Options and alternates",
}
GRAVE = frozenset({"missing", "incompatible", "doubled", "too_few"})
NOTICE = frozenset({"spares", "renamed", "formula", "option", "quantity_assumed", "longer", "whole_packs", "discount"})
UNSURE_BELOW = 0.75
CATEGORY_WORDS = {
    "server": "server",
    "rack-system": "rack part",
    "nic": "NIC",
    "switch": "switch",
    "management": "fabric manager",
    "transceiver": "transceiver",
    "cable": "cable",
    "fiber": "fibre",
    "panel": "patch panel",
    "rack": "rack",
    "cooling": "cooling unit",
}


def quote_report(
    reading: QuoteReading,
    bom_lines: Iterable[BomLine],
    catalog: Catalog,
    rates: Rates | None = None,
    by_hand: Mapping[str, str | None] | None = None,
    day: str = NEWEST,
) -> QuoteReport:
    """Match a quote to a bill of materials and say what differs.

    Parameters
    ----------
    reading : from ``read_lines``
    bom_lines : ``bom.lines`` of an Estimate
    rates : dollars for other currencies; the catalog's without them
    by_hand : matches that somebody set, see ``match_lines``
    day : whose rates are taken; the newest without it
    """
    items, racks = whole_racks_of(reading.lines, items_of(bom_lines, catalog), catalog)
    matches = match_lines(reading.lines, items, catalog, by_hand, racks)
    to_pieces(reading.lines, matches, items)
    of_day = rates or Rates(catalog.exchange_rates)
    offers = offers_of(reading.lines, matches, of_day, day)
    charged = {row.currency for row in reading.left_out if row.code in CHARGES and row.amount_minor is not None}
    used = {offer.line.currency: offer.rate for offer in offers} | {one: of_day.at(one, day) for one in charged}
    mark_doubles(offers, items)
    offered = count_pieces(offers, items)
    problems = _Problems()
    by_key = {item.key: item for item in items}
    rows = [_quoted_line(offer, by_key, problems) for offer in offers]
    missing = _missing(items, offers, offered, problems)
    totals = _totals(offers, items, reading.left_out, offered, used)
    return QuoteReport(
        lines=[row for row, offer in zip(rows, offers, strict=True) if offer.match.keys],
        surplus=[row for row, offer in zip(rows, offers, strict=True) if not offer.match.keys],
        missing=missing,
        left_out=[row.reported() for row in reading.left_out],
        items=[_quoted_item(item, offered[item.key], offers) for item in items],
        problems=problems.in_order(),
        totals=totals,
        notes=[*reading.notes, *_discount_notes(reading.discounts)],
        discounts=reading.discounts or None,
        summary=_summary(reading, offers, missing, items, totals, problems),
    )


def _discount_notes(discounts: Sequence[ListDiscount]) -> Iterable[str]:
    """Discounts that stand without an amount, and whether they come off the prices."""
    for one in discounts:
        off = "it is taken off the prices" if one.is_taken else "it is not taken off"
        where = f" of {one.sheet}" if one.sheet else ""
        yield f"Row {one.row}{where} says “{one.text}” and no amount: {off}."


class _Problems:
    """Everything found, with the line or item it is about."""

    def __init__(self) -> None:
        self._found: list[QuoteProblem] = []

    def add(self, code: str, message: str, line: QuoteLine | None = None, item: Item | None = None) -> QuoteProblem:
        """Keep a problem, and return it."""
        problem = QuoteProblem(
            code=code,
            severity="error" if code in GRAVE else "info" if code in NOTICE else "warning",
            message=message,
            line=line.id if line else None,
            row=line.row if line else None,
            item=item.key if item else None,
        )
        self._found.append(problem)
        return problem

    def in_order(self) -> list[QuoteProblem]:
        """By kind, the grave ones first; within one as they stand in the file."""
        order = {code: at for at, code in enumerate(PROBLEMS)}
        return sorted(self._found, key=lambda problem: order[problem.code])

    def count(self, code: str) -> int:
        """How many of a kind."""
        return sum(problem.code == code for problem in self._found)


def usd(cents: int | None) -> float | None:
    """Cents as dollars; None stays None."""
    return None if cents is None else cents_to_usd(cents)


# ---------------------------------------------------------------- lines


def _quoted_line(offer: Offer, by_key: Mapping[str, Item], problems: _Problems) -> QuotedLine:
    line, match = offer.line, offer.match
    mine = list(_line_problems(offer, by_key, problems))
    items = [by_key[key] for key in match.keys]
    first = items[0] if items else None
    return QuotedLine(
        id=line.id,
        sheet=line.sheet,
        row=line.row,
        part_number=line.part_number,
        other_number=line.other_number,
        description=line.description,
        section=line.section,
        quantity=line.quantity,
        counted=offer.n_counted,
        currency=line.currency,
        unit_price=None if line.unit_minor is None else major(line.unit_minor, line.currency),
        extended_price=None if line.extended_minor is None else major(line.extended_minor, line.currency),
        discount=line.discount,
        lead_time=line.lead_time,
        is_option=line.is_option,
        unit_price_usd=usd(offer.unit_cents),
        extended_price_usd=usd(offer.extended_cents),
        rate=PriceRate(**offer.rate.as_json()) if offer.rate else None,
        status=_status(offer),
        items=list(match.keys),
        bom_lines=[n for item in items for n in item.lines],
        matched_to=first.text if first else None,
        category=first.category if first else None,
        length_m=match.length_m if first and first.length_m is not None else None,
        part=first.part if first else match.part,
        book_unit_usd=in_usd(first.unit_cents) if first else None,
        confidence=match.confidence,
        reason=match.reason,
        how=match.how,
        remarks=[QuoteRemark(code=code, message=words) for code, words in line.remarks],
        problems=[problem.code for problem in mine],
        messages=[problem.message for problem in mine],
    )


def _status(offer: Offer) -> Status:
    if offer.line.is_option:
        return "option"
    if not offer.match.keys:
        return "surplus"
    if offer.match.conflicts:
        return "incompatible"
    return "doubled" if offer.is_doubled else "matched"


def _line_problems(offer: Offer, by_key: Mapping[str, Item], problems: _Problems) -> Iterable[QuoteProblem]:
    line, match = offer.line, offer.match
    name, item = line.text, by_key[match.keys[0]] if match.keys else None
    if line.is_option:
        yield problems.add("option", f"{name} is an option or an alternate; it is not in the totals.", line, item)
    if item is None:
        if not line.is_option:
            what = (
                "a service, licence or accessory" if match.reason.startswith("The words name") else "not in the design"
            )
            network = f" {match.reason}" if match.reason.startswith("It ") else ""
            yield problems.add("surplus", f"{counted(line.quantity, 'piece')} of {name}: {what}.{network}", line)
    else:
        yield from _match_problems(offer, item, by_key, problems)
    if line.unit_minor is not None and offer.unit_cents is None:
        message = f"{name} is priced in {line.currency}, and there is no rate of it; it is not in the totals."
        yield problems.add("no_rate", message, line, item)
    for words in match.contradictions:
        yield problems.add("contradiction", f"{name}: {words}. Ask which is meant.", line, item)
    for code, words in line.remarks:
        kind = {"zero_quantity": "option"}.get(code, code)
        yield problems.add(kind, f"{name}: {words}", line, item)


def _match_problems(
    offer: Offer, item: Item, by_key: Mapping[str, Item], problems: _Problems
) -> Iterable[QuoteProblem]:
    line, match = offer.line, offer.match
    if match.conflicts:
        words = "; ".join(words for _, words in match.conflicts)
        yield problems.add(
            "incompatible", f"{line.text} is offered for {item.text} and is not compatible: {words}.", line, item
        )
    if offer.is_doubled:
        message = (
            f"{line.quantity:,} × {line.text} stand there once more than {item.text} needs; this line is not counted."
        )
        yield problems.add("doubled", message, line, item)
    if match.is_renamed and not (match.conflicts or offer.is_doubled):
        message = f"{item.text} is offered as {line.part_number or line.other_number}."
        yield problems.add("renamed", message, line, item)
    if offer.longer_for:
        lengths = ", ".join(f"{by_key[key].length_m:g} m" for key in offer.longer_for)
        yield problems.add("longer", f"{line.text} also stands for the shorter {lengths} of the same part.", line, item)
    if match.confidence < UNSURE_BELOW and match.how != HANDED and not match.conflicts:
        message = f"{line.text} was taken for {item.text} with a confidence of {match.confidence:.0%}. {match.reason}"
        yield problems.add("unsure", message, line, item)
    if _is_longer(match, item):
        needed = f"{item.length_m:g} m"
        message = f"{line.text} is {match.length_m:g} m and serves for {needed}; its price is not that of {needed}."
        yield problems.add("longer", message, line, item)
        return
    if offer.unit_cents is None or item.unit_cents is None or match.conflicts:
        return
    low, typical, high = item.unit_cents
    if not low <= offer.unit_cents <= high:
        code, edge, word = ("price_high", high, "above") if offer.unit_cents > high else ("price_low", low, "below")
        ratio = f", {_times(offer.unit_cents / typical)} times the typical price" if typical else ""
        message = (
            f"{line.text} costs ${offer.unit_cents / 100:,.2f} apiece, {word} the book’s ${edge / 100:,.2f}{ratio}."
        )
        yield problems.add(code, message, line, item)


def _times(ratio: float) -> str:
    """ "0.87", "1.04", "102"."""
    return f"{ratio:.2g}" if ratio < 0.095 else f"{ratio:.2f}" if ratio < 9.95 else f"{ratio:,.0f}"


def _is_longer(match: Match, item: Item) -> bool:
    """Whether a line is of a longer cable than its item: beyond what two ways of rounding make of one length."""
    return bool(match.length_m and item.length_m and match.length_m > 1.05 * item.length_m)


# ---------------------------------------------------------------- items


def _missing(
    items: Sequence[Item], offers: Sequence[Offer], offered: Mapping[str, int], problems: _Problems
) -> list[MissingItem]:
    """Items of which too few are offered, priced by the book; those with no offer at all first."""
    instead: dict[str, list[Offer]] = defaultdict(list)
    for offer in offers:
        if not offer.is_counted:
            for key in offer.match.keys:
                instead[key].append(offer)
    whole = Counter(item.category for item in items if not offered[item.key] and not instead[item.key])
    of_category = Counter(item.category for item in items)
    rows = []
    for item in items:
        have, lacking = offered[item.key], item.whole - offered[item.key]
        if have > item.whole:
            message = _offered_and_needed(item, have)
            pack = pack_of_offers(offers, item.key)
            if have - item.whole < pack:
                over = have - item.whole
                left = f"{over:,} {'is' if over == 1 else 'are'} left over"
                what = "pairs" if pack == PAIR_PIECES else f"packs of {pack:,}"
                problems.add("whole_packs", f"{message} It is rounded up to whole {what}: {left}.", item=item)
            else:
                problems.add("too_many", message, item=item)
        if lacking <= 0:
            continue
        is_whole = whole[item.category] == of_category[item.category]
        code, why = _why_missing(item, have, instead[item.key], is_whole)
        problems.add(code, why, item=item)
        rows.append(
            MissingItem(
                **item.needed(),
                offered=have,
                missing_quantity=lacking,
                is_spares_only=have >= item.quantity,
                is_whole_category=is_whole,
                why=why,
                unit_price_usd=in_usd(item.unit_cents),
                price_usd=in_usd(item.unit_cents * lacking) if item.unit_cents else None,
            )
        )
    return sorted(rows, key=lambda row: (row.offered > 0, row.is_spares_only))


def _spares(n: int) -> str:
    return f"{n:,} spares" if n > 1 else "spare"


def _needed(item: Item) -> str:
    spares = f" and {item.spare_quantity:,} spare" if item.spare_quantity else ""
    return f"{item.quantity:,}{spares} × {item.text}"


def _offered_and_needed(item: Item, have: int) -> str:
    spares = f" and {counted(item.spare_quantity, 'spare')}" if item.spare_quantity else ""
    return f"{have:,} of {item.text} are offered, and {item.quantity:,}{spares} are needed."


def _why_missing(item: Item, have: int, instead: Sequence[Offer], is_whole: bool) -> tuple[str, str]:
    if have >= item.quantity:
        return (
            "spares",
            f"{have:,} of {item.text} are offered: the {item.quantity:,} of the design and "
            f"{have - item.quantity or 'none'} of its {_spares(item.spare_quantity)}.",
        )
    if have:
        return "too_few", _offered_and_needed(item, have)
    if any(offer.match.conflicts for offer in instead):
        lines = ", ".join(offer.line.text for offer in instead[:3])
        return "missing", f"{_needed(item)}: offered only as {lines}: not compatible."
    if instead:
        return "missing", f"{_needed(item)}: offered only as an option."
    if is_whole:
        return (
            "missing",
            f"{_needed(item)}: the quote has no {CATEGORY_WORDS.get(item.category, item.category)} at all.",
        )
    return "missing", f"{_needed(item)}: no line offers it."


def _quoted_item(item: Item, offered: int, offers: Sequence[Offer]) -> QuotedItem:
    cents = sum(offer.counted_cents(item.key) for offer in offers if item.key in offer.counted)
    return QuotedItem(
        **item.needed(), offered=offered, unit_price_usd=in_usd(item.unit_cents), quoted_usd=cents_to_usd(cents)
    )


# ---------------------------------------------------------------- totals


def _totals(
    offers: Sequence[Offer],
    items: Sequence[Item],
    left_out: Sequence[LeftOut],
    offered: Mapping[str, int],
    rates: Mapping[str, Rate | None],
) -> QuoteTotals:
    """Sums in dollars, at the rates of lines and charges.

    On the same scope stand the pieces that both have, at the quote's price and at the book's.
    """
    firm = [offer for offer in offers if not offer.line.is_option]
    priced = [offer for offer in firm if offer.extended_cents is not None]
    both = {item.key: min(offered[item.key], item.whole) for item in items}
    unpriced_keys = {key for offer in firm if offer.extended_cents is None for key in offer.counted}
    comparable = [item for item in items if item.unit_cents and item.key not in unpriced_keys and both[item.key]]
    scope = {item.key for item in comparable}
    quote = sum(offer.counted_cents(key) for offer in priced for key in offer.counted if key in scope)
    book = total_of(item.unit_cents * both[item.key] for item in comparable if item.unit_cents)
    whole_quote = usd_sum(priced)
    counted_cents = sum(offer.counted_cents(key) for offer in priced for key in offer.counted)
    lacking = total_of(item.unit_cents * (item.whole - both[item.key]) for item in items if item.unit_cents)
    charges, is_charges_whole = _charges(left_out, rates)
    completed = lacking.each(lambda cents: counted_cents + cents)
    return QuoteTotals(
        quote_usd=cents_to_usd(whole_quote),
        currencies=_by_currency(offers),
        options_usd=cents_to_usd(usd_sum(offer for offer in offers if offer.line.is_option)),
        charges_usd=cents_to_usd(charges),
        charges_at_least=not is_charges_whole,
        same_scope=SameScope(
            quote_usd=cents_to_usd(quote),
            design_usd=book.in_usd(),
            difference_usd=cents_to_usd(quote - book.typical),
            difference_share=(quote - book.typical) / book.typical if book.typical else None,
            n_items=len(comparable),
        ),
        outside_scope_usd=cents_to_usd(whole_quote - counted_cents),
        left_out_by_quote_usd=lacking.in_usd(),
        completed_usd=completed.in_usd(),
        design_usd=total_of(item.unit_cents * item.whole for item in items if item.unit_cents).in_usd(),
        at_least=any(item.unit_cents is None for item in items) or len(priced) < len(firm),
        unpriced_lines=len(firm) - len(priced),
        rates=_rates_used(rates),
    )


def _by_currency(offers: Sequence[Offer]) -> list[CurrencySum]:
    """Sum of the firm lines by currency, as the vendor would add them up."""
    sums: dict[str, int] = defaultdict(int)
    for offer in offers:
        if offer.line.extended_minor is not None and not offer.line.is_option:
            sums[offer.line.currency] += offer.line.extended_minor
    return [CurrencySum(currency=currency, amount=major(minor, currency)) for currency, minor in sorted(sums.items())]


def _rates_used(rates: Mapping[str, Rate | None]) -> list[QuoteRate]:
    return [
        QuoteRate(currency=currency, **rate.as_json())
        for currency, rate in sorted(rates.items())
        if rate and currency != USD
    ]


def _charges(left_out: Sequence[LeftOut], rates: Mapping[str, Rate | None]) -> tuple[int, bool]:
    """(freight, taxes and discounts in cents, whether all of them could be counted)."""
    total, is_whole = 0, True
    for row in left_out:
        if row.code in CHARGES and row.amount_minor is not None:
            rate = rates.get(row.currency)
            if row.currency != USD and rate is None:
                is_whole = False
                continue
            sign = -1 if row.amount_minor < 0 else 1
            total += sign * us_cents(abs(row.amount_minor), row.currency, rate)
    return total, is_whole


# ---------------------------------------------------------------- words


def _summary(
    reading: QuoteReading,
    offers: Sequence[Offer],
    missing: Sequence[MissingItem],
    items: Sequence[Item],
    totals: QuoteTotals,
    problems: _Problems,
) -> list[str]:
    """What a buyer should know first, in sentences."""
    n_matched = sum(bool(offer.match.keys) for offer in offers)
    n_served = len({key for offer in offers for key in offer.match.keys if key})
    out = [
        f"{counted(len(offers), 'line')} {'was' if len(offers) == 1 else 'were'} read and "
        f"{counted(len(reading.left_out), 'row')} left out; {counted(n_matched, 'line')} "
        f"{'stands' if n_matched == 1 else 'stand'} for {n_served:,} of the design’s {counted(len(items), 'part')}."
    ]
    lacking = [row for row in missing if row.offered < row.quantity and not row.is_whole_category]
    whole = sorted({row.category for row in missing if row.is_whole_category})
    if whole:
        nouns = [f"no {CATEGORY_WORDS.get(name, name)}" for name in whole]
        names = " and ".join([", ".join(nouns[:-1]), nouns[-1]] if nouns[1:] else nouns)
        out.append(f"The quote has {names} at all.")
    if lacking:
        first = ", ".join(f"{row.missing_quantity:,} × {row.description}" for row in lacking[:3])
        more = f" and {len(lacking) - 3:,} more" if len(lacking) > 3 else ""
        spares = ", with spares" if any(row.spare_quantity for row in lacking) else ""
        out.append(f"Missing or too few{spares}: {first}{more}.")
    for code, words in (
        ("incompatible", "are not compatible with the design"),
        ("doubled", "are quoted twice"),
        ("surplus", "are not in the design"),
        ("no_price", "have no price"),
        ("no_rate", "are in a currency without a rate"),
    ):
        if n := problems.count(code):
            out.append(f"{counted(n, 'line')} {words if n > 1 else _singular(words)}.")
    outside = problems.count("price_high"), problems.count("price_low")
    if any(outside):
        out.append(f"{counted(outside[0], 'price')} above and {outside[1]:,} below the book’s range.")
    scope = totals.same_scope
    if scope.n_items and scope.difference_share is not None:
        share = scope.difference_share
        word = "more than" if share > 0 else "less than"
        size = f"{abs(share) * 100:.1f} % {word}" if abs(share) >= 0.0005 else "as much as"
        out.append(
            f"On the same scope the quote costs {size} the design’s price book: {whole_dollars(scope.quote_usd)} against "
            f"{whole_dollars(scope.design_usd.typical)}."
        )
    if totals.left_out_by_quote_usd.typical:
        out.append(f"What it leaves out costs {whole_dollars(totals.left_out_by_quote_usd.typical)} by the book.")
    return out + [
        f"{rate.currency} were turned into dollars at {rate.usd:g} of {rate.date} ({rate.source})."
        for rate in totals.rates
    ]


def _singular(words: str) -> str:
    return words.replace("do not", "does not", 1).replace("are ", "is ", 1).replace("have ", "has ", 1)
