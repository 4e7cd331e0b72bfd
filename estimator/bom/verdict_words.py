"""A verdict over two networks' prices in plain words: what costs less and at which prices, or what would have to be asked."""

from estimator.bom.verdict import CASE_WORDS, LEAST_GAP, NETWORK, Deciding, PriceVerdict
from estimator.wording import dollars, percent_of

NO_DIFFERENCE = "no difference that these prices can show"


def verdict_words(verdict: PriceVerdict, ours: str, theirs: str) -> str:
    """Two or three sentences: the verdict with both sums, and the price at which it turns."""
    case = verdict.cases[0]
    pair = f"{ours} {dollars(case.ours[NETWORK])}, {theirs} {dollars(case.theirs[NETWORK])}"
    sign = verdict.sign(NETWORK)
    if sign == 0:
        return (
            f"Network, purchase: {NO_DIFFERENCE}: {pair}, {_why_open(verdict)}.{_turning_price(verdict, is_open=True)}"
        )
    lower, higher = (ours, theirs) if sign < 0 else (theirs, ours)
    shares = [_less(one.gap(NETWORK)) for one in verdict.cases[1:4]]
    spread = f"{percent_of(min(shares))} to {percent_of(max(shares))}"
    less = percent_of(_less(case.gap(NETWORK)))
    return (
        f"The network of {lower} costs {less} less than that of {higher} to buy: {pair}. It is less at recommended, dealers’ and "
        f"branded resellers’ prices alike ({spread}).{_turning_price(verdict, is_open=False)}"
    )


def _less(gap: float) -> float:
    """By how much of the higher price the lower one is below it."""
    return 1 - min(1 + gap, 1 / (1 + gap)) if gap > -1 else 1.0


def _why_open(verdict: PriceVerdict) -> str:
    """Too small a gap, or prices at which the sign is another one."""
    gap = verdict.cases[0].gap(NETWORK)
    apart = max(1 + gap, 1 / (1 + gap)) - 1 if gap > -1 else 1.0
    reported = f", where more than {percent_of(LEAST_GAP)} is needed" if apart <= LEAST_GAP else ""
    reasons = [f"{percent_of(apart)} apart{reported}"]
    turns = [CASE_WORDS[name] for name in verdict.turning(NETWORK) if name in CASE_WORDS]
    if turns:
        reasons.append(f"and the other way round at {' and at '.join(turns)}")
    elif verdict.turning(NETWORK):
        reasons.append("and the other way round within the range of a part that nobody quotes")
    return " ".join(reasons)


def _turning_price(verdict: PriceVerdict, *, is_open: bool) -> str:
    one = verdict.deciding
    if one is None:
        return ""
    if one.break_even_usd <= 0:
        return f" No price of {one.name} changes that."
    now = f"{dollars(one.now_usd)} now, {dollars(one.low_usd)} to {dollars(one.high_usd)}"
    words = f"Both cost the same at {dollars(one.break_even_usd)} for each {one.name} ({now})"
    return f" {words}{_ask(one) if is_open else ''}."


def _ask(one: Deciding) -> str:
    if one.is_quoted or not one.low_usd <= one.break_even_usd <= one.high_usd:
        return ""
    return ", whose price nobody publishes: request a quotation"
