"""What a part number says of itself beside the part: airflow and length; and where it contradicts the words beside it.

Endings: NVIDIA's MQM9700-NS2F and MSN3700-CS2R end in F where air flows from the power supplies to the ports and in R for the
reverse, as does the letter behind -00 in 920-9B210-00FN-0M0 (NVIDIA, switch data sheets, "Ordering information"); Arista's end
in -F and -R likewise (data sheets, "Ordering information").
"""

import re

from estimator.quotes.profile import CABLE, FIBER, MODULE, SWITCH, Profile, coded_length_m

TO_PORTS, TO_POWER = "from the power supplies to the ports", "from the ports to the power supplies"
_AIRFLOW = (
    re.compile(r"^(?:MQM|MSN|MSB|MTQ)\d{4}-[A-Z]{2}\d([FR])C?\b"),
    re.compile(r"^920-9[A-Z0-9]{4}-00([FR])"),
    re.compile(r"^DCS-7\S{3,20}-([FR])$"),
)
_WORDS_TO_PORTS = re.compile(r"\bp2c\b|power[- ]to[- ]connector|psu[- ]to[- ]port|standard airflow|forward air", re.I)
_WORDS_TO_POWER = re.compile(r"\bc2p\b|connector[- ]to[- ]power|port[- ]to[- ]psu|reverse(?:d)? air", re.I)
_UNMANAGED = re.compile(r"\b(?:un-?managed|externally managed)\b", re.I)
_SAME_LENGTH = 0.05  # by which two lengths may differ that are one


def airflow_of(number: str) -> str | None:
    """Where air flows by a switch's part number; None where it does not say."""
    for pattern in _AIRFLOW:
        if found := pattern.match(number.strip().upper()):
            return TO_PORTS if found[1] == "F" else TO_POWER
    return None


def other_airflow(wanted: str, offered: str) -> tuple[tuple[str, str], ...]:
    """The conflict of a part number that stands for the same switch with air the other way."""
    want, have = airflow_of(wanted), airflow_of(offered)
    if want is None or have is None or want == have:
        return ()
    return (("airflow", f"other airflow: {want} is needed ({wanted}), {have} offered ({offered})"),)


def contradictions(number: str, words: str, record: Profile | None, said: Profile) -> tuple[str, ...]:
    """Where a line's words say another thing than its part number.

    ``record`` is what the catalog knows of the number, ``said`` what the words say.
    """
    found = []
    coded, length = coded_length_m(number), said.length_m
    is_line = (record or said).kind in (CABLE, FIBER)
    if is_line and coded and length and _differs(coded, length):
        found.append(f"the number ends in {coded:g} m, and the words say {length:g} m")
    flow = airflow_of(number)
    for name, pattern in ((TO_PORTS, _WORDS_TO_PORTS), (TO_POWER, _WORDS_TO_POWER)):
        if flow and flow != name and pattern.search(words):
            found.append(f"by the number air flows {flow}, and by the words {name}")
    if record is not None:
        found += _against_record(record, said, words)
    return tuple(found)


def _against_record(record: Profile, said: Profile, words: str) -> list[str]:
    found = []
    is_same_kind = record.kind == said.kind
    both_media = {record.medium, said.medium} - {None}
    if record.kind in (MODULE, FIBER) and is_same_kind and len(both_media) > 1:
        found.append(f"the number is of a {record.medium} part, and the words say {said.medium}")
    if record.kind in (MODULE, CABLE) and is_same_kind and record.rate_gbit_s and said.rate_gbit_s:
        share = said.rate_gbit_s / record.rate_gbit_s
        if not any(
            abs(share - usual) < 0.1 * usual for usual in (1.0, 0.5, 2.0, 0.25)
        ):  # words name a lane or both plugs
            found.append(f"the number is of {record.rate_gbit_s:,} Gb/s, and the words say {said.rate_gbit_s:,} Gb/s")
    if record.kind == SWITCH and record.is_managed and _UNMANAGED.search(words):
        found.append("the number is of a managed switch, and the words say unmanaged")
    return found


def _differs(one: float, other: float) -> bool:
    return abs(one - other) > _SAME_LENGTH * max(one, other)
