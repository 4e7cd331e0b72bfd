"""A verdict over two networks' prices in plain words: what costs less and at which prices, or what would have to be asked."""

from estimator.bom.verdict import CASE_WORDS, LEAST_GAP, NETWORK, Deciding, PriceVerdict
from estimator.wording import dollars, percent_of

NO_DIFFERENCE = "no difference that these prices can show"


def verdict_words(verdict: PriceVerdict, ours: str, theirs: str) -> str:
    """Two or three sentences: the verdict with both sums, and the price at which it turns.

    Every share is of the price of ``theirs``, as the differences of a comparison are of its baseline.
    """
    case = verdict.cases[0]
    pair = f"{ours} {dollars(case.ours[NETWORK])}, {theirs} {dollars(case.theirs[NETWORK])}"
    sign = verdict.sign(NETWORK)
    if sign == 0:
        return (
            f"Network, purchase: {NO_DIFFERENCE}: {pair}, {_why_open(verdict, ours, theirs)}."
            f"{_turning_price(verdict, is_open=True)}"
        )
    word = "less" if sign < 0 else "more"
    shares = [abs(one.gap(NETWORK)) for one in verdict.cases[1:4]]
    spread = f"{percent_of(min(shares))} to {percent_of(max(shares))}"
    gap = percent_of(case.gap(NETWORK))
    return (
        f"The network of {ours} costs {gap} {word} than that of {theirs} to buy: {pair}. It is {word} at recommended, dealers’ "
        f"and branded resellers’ prices alike ({spread}).{_turning_price(verdict, is_open=False)}"
    )


def share_words(ours: float, theirs: float, name: str) -> str:
    """The difference from ``theirs`` as a share of it: "3.5 % less than InfiniBand"."""
    if ours == theirs or not theirs:
        return f"the same as {name}" if ours == theirs else f"more than {name}"
    return f"{percent_of(ours / theirs - 1)} {'less' if ours < theirs else 'more'} than {name}"


def _why_open(verdict: PriceVerdict, ours: str, theirs: str) -> str:
    """Too small a gap, or prices at which the sign is another one."""
    case = verdict.cases[0]
    low, high = sorted((case.ours[NETWORK], case.theirs[NETWORK]))
    needed = (
        f", where more than {percent_of(LEAST_GAP)} of the lower price is needed"
        if high - low <= LEAST_GAP * low
        else ""
    )
    reasons = [f"{ours} {share_words(case.ours[NETWORK], case.theirs[NETWORK], theirs)}{needed}"]
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
