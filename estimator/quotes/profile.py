"""What a part is, from its catalog record or from a vendor's words: kind, rate, connector, fibre, length, reach, polish."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from estimator.catalog.catalog import Catalog
from estimator.catalog.records import Cable, Nic, Server, Switch
from estimator.quotes.words import SERVICE

SERVER, NIC, SWITCH, MODULE, CABLE, FIBER = "server", "nic", "switch", "transceiver", "cable", "fiber"
RACK_PART = "rack-system"
PANEL, RACK, COOLING, MANAGEMENT, SERVICE_KIND, ACCESSORY = (
    "panel",
    "rack",
    "cooling",
    "management",
    "service",
    "accessory",
)
MULTIMODE, SINGLE_MODE, COPPER = "multimode", "single-mode", "copper"
_KINDS = (  # the first that the words name
    (RACK_PART, r"nvlink switch trays?|power shel(?:f|ves)|rack frames?|nvlink cable cartridges?"),
    (
        ACCESSORY,
        r"power supply|psu|rail ?kit|fan(?: tray| module)?|bezel|mounting kit|spare part|dust cap|cleaner|power cord",
    ),
    (PANEL, r"patch panels?|cassettes?|fib(?:er|re) enclosures?"),
    (
        CABLE,
        r"dac|aoc|acc|aec|lacc|active optical|(?:passive|active|linear|retimed)\b.{0,24}\bcopper|copper cables?|twinax",
    ),
    (CABLE, r"splitter cable|breakout cable|cat ?[5678][ae]?|direct[- ]attach(?:ed)?(?: cables?)?|kupferkabel"),
    (MODULE, r"transceivers?|xcvr|optics?|optical modules?|(?:osfp|qsfp\S{0,12}|sfp\S{0,12})\b.{0,24}\bmodules?"),
    (MODULE, r"\d*x?(?:sr|dr|fr|lr|vr)[148]|\d{2,4}gbase\S{0,12}"),
    (
        FIBER,
        r"fib(?:er|re)s?|mpo|mtp|lc[- ]lc|om[345]|os2|trunk|patch cords?|jumpers?|glasfaser|lwl|jarreti[eè]re|pigtail",
    ),
    (
        NIC,
        r"adapter|adaptor|hca|nics?|connectx\S{0,12}|bluefield\S{0,12}|supernic|dpu|network (?:interface )?card|netzwerkkarte",
    ),
    (SWITCH, r"switch(?:es)?|router|spine|leaf|quantum-?[23x]?|spectrum-?[x\d]*"),
    (COOLING, r"cdu|coolant distribution|rear[- ]door|chiller"),
    (RACK, r"racks?|cabinets?|pdus?|power distribution"),
    (SERVER, r"servers?|dgx|hgx|gpu (?:system|node)s?|compute (?:node|tray)s?|poweredge|superserver|nvl72|nodes?"),
)
_ANY_KIND = re.compile(r"\b(?:" + "|".join(f"(?P<k{at}>{pattern})" for at, (_, pattern) in enumerate(_KINDS)) + r")\b")
_WITH_SERVICE = re.compile(r"\b(?:with|incl(?:udes|uding|\.)?)\b.{0,40}(?:support|warranty|licen[cs]e)", re.I)
_CABLE_KINDS = (
    ("lacc", r"lacc|linear active copper"),
    ("aoc", r"aoc|active optical"),
    ("aec", r"aec|retimed|active electrical"),
    ("acc", r"acc|active copper"),
    ("copper_patch", r"cat ?[5678]"),
    ("dac", r"dac|passive|direct[- ]attach|twinax|copper"),
)
_RATE = re.compile(
    r"(?:(?<![\d.])(\d)\s?x\s?)?(?<![\d.])(\d{1,4}(?:\.\d)?)\s?(t|g)(?:b(?:it)?(?:/?p?s|e)?|be|bps|bit/s)?(?![a-z0-9])",
    re.I,
)
_BASE = re.compile(r"(?<!\d)(\d{2,4})GBASE", re.I)
_CONNECTOR = re.compile(
    r"\b(OSFP|QSFP[- ]?DD800|QSFP[- ]?DD|QSFP112|QSFP56|QSFP28|QSFP\+|SFP112|SFP56|SFP28|SFP\+|RJ-?45)(?![A-Za-z0-9])",
    re.I,
)
_OPTIC = re.compile(r"(?<![A-Z0-9])(\d)?x?(SR|VR|DR|FR|LR|ER)(1|2|4|8|16)?(?![A-Z0-9])", re.I)
_MULTI = re.compile(r"\b(?:mmf?|multi-?mode|om[345]|850 ?nm)\b", re.I)
_SINGLE = re.compile(r"\b(?:smf?|single-?mode|os[12]|1310 ?nm|monomode|einmoden)\b", re.I)
_GRADE = re.compile(r"\b(OM[345]|OS[12])\b", re.I)
_LENGTH = re.compile(
    r"(?<![\d.,\w])(\d{1,5}(?:[.,]\d{1,2})?)\s?(km|cm|mm|m|meters?|metres?|mtr|ft|feet)\b(?!\s*(?:nm))", re.I
)
_POLISH = re.compile(r"\b(APC|UPC)\b", re.I)
_PLUG = re.compile(r"(?:\b|(?<=\dx))(?:(MPO|MTP)[- ]?(\d{1,2})?|(LC))\b", re.I)
_PORTS = re.compile(
    r"\b(\d{1,3})(?:[- ]?(?:x ?)?(?:[NHEX]DR|O?Q?SFP\S{0,12}|\d{2,3}G\w{0,6}))?[- ]?ports?\b|\b(\d{1,3}) ?x ?\d{2,3}G",
    re.I,
)
_GPU = re.compile(
    r"\b(A100|H100|H200|H20|B200|B300|GB200|GB300|MI300X|MI325X|MI350X|MI355X|GAUDI ?3|L40S|V100)\b", re.I
)
_UNIT_M = {"km": 1000.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "feet": 0.3048}
_GRADES = {"OM3": 3, "OM4": 4, "OM5": 5}
_LENGTH_CODE = re.compile(r"(?:[A-Z]0?|^0?)(\d{2})([A0-9])(?=$|[A-Z])|(?:PC|AE|AO)(\d{2})$|(?<=[A-Z\-])(\d{1,2})M$")


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a part; None where nothing is. Rates are those of the whole plug in Gb/s."""

    kind: str | None = None
    cable_kind: str | None = None
    rate_gbit_s: int | None = None
    connector: str | None = None
    far_connector: str | None = None
    n_far: int | None = None
    top: str | None = None
    medium: str | None = None
    grade: str | None = None
    optic: str | None = None
    plug: str | None = None
    polish: str | None = None
    length_m: float | None = None
    reach_m: float | None = None
    protocols: frozenset[str] | None = None
    ports: int | None = None
    gpu: str | None = None
    is_managed: bool | None = None


def record_profile(part: str | None, catalog: Catalog) -> Profile | None:
    """The profile of a catalog record; None where there is no such record of a kind that is sold by itself."""
    if part is None:
        return None
    if cable := catalog.cables.get(part):
        return _cable_profile(cable)
    if switch := catalog.switches.get(part):
        return _switch_profile(switch)
    if nic := catalog.nics.get(part):
        return _nic_profile(nic)
    server = catalog.servers.get(part)
    return _server_profile(server, catalog) if server else None


def _cable_profile(cable: Cable) -> Profile:
    kind = {"transceiver": MODULE, "fiber": FIBER}.get(cable.kind, CABLE)
    is_module = kind == MODULE
    return Profile(
        kind=kind,
        cable_kind=cable.kind if kind == CABLE else None,
        rate_gbit_s=cable.aggregate_gbit_s,
        connector=_base_connector(cable.a_connector) if kind != FIBER else None,
        far_connector=_base_connector(cable.b_connector) if kind == CABLE else None,
        n_far=cable.b_count if not is_module else None,
        top=cable.a_top,
        medium=cable.medium,
        grade=cable.fiber_grade,
        optic=cable.optic,
        plug=cable.fiber_connector,
        polish=cable.polish,
        reach_m=cable.reach_max_m,
        protocols=frozenset(cable.protocols) if kind != FIBER else None,
    )


def _switch_profile(switch: Switch) -> Profile:
    cage = switch.cages[0] if switch.cages else None
    return Profile(
        kind=SWITCH,
        rate_gbit_s=cage.link_rate_gbit_s if cage else None,
        connector=_base_connector(cage.cage) if cage else None,
        protocols=frozenset({switch.protocol}),
        ports=switch.radix,
        is_managed=switch.managed,
    )


def _nic_profile(nic: Nic) -> Profile:
    cage = nic.ports[0] if nic.ports else None
    return Profile(
        kind=NIC,
        rate_gbit_s=cage.cage_rate_gbit_s if cage else None,
        connector=_base_connector(cage.cage) if cage else None,
        protocols=frozenset(nic.protocols),
        ports=sum(port.n_cages for port in nic.ports) or None,
    )


def _server_profile(server: Server, catalog: Catalog) -> Profile:
    gpu = catalog.gpus.get(server.gpu_id or "")
    found = _GPU.search(gpu.model) if gpu else None
    return Profile(kind=SERVER, gpu=found[1].upper() if found else None)


def _base_connector(connector: str | None) -> str | None:
    """ "OSFP twin-port" → "OSFP"; what a name of a cage begins with."""
    return connector.split()[0].upper() if connector else None


@lru_cache(maxsize=20_000)
def text_profile(text: str, part_number: str = "") -> Profile:
    """The profile of a line by its words; a length that the part number ends in counts where the words say none."""
    kind = kind_of(text)
    is_cable, is_light = kind in (CABLE, FIBER), kind in (MODULE, FIBER, CABLE)
    length = _length_m(text) if is_light else None
    if is_cable and length is None:
        length = coded_length_m(part_number)
    optic = next(iter(_optics(text)), None) if kind in (MODULE, FIBER) else None
    grade, plug, polish = (_found(pattern, text, is_light) for pattern in (_GRADE, _PLUG, _POLISH))
    gpu = _found(_GPU, text, kind == SERVER)
    ports = _PORTS.findall(text) if kind in (SWITCH, NIC) else ()
    has_plugs = kind in (MODULE, CABLE, NIC, SWITCH, None)
    connectors = [re.sub(r"QSFP ?-?DD", "QSFP-DD", c.upper()) for c in _CONNECTOR.findall(text)] if has_plugs else []
    return Profile(
        kind=kind,
        cable_kind=next((k for k, p in _CABLE_KINDS if re.search(rf"\b(?:{p})", text, re.I)), None)
        if kind == CABLE
        else None,
        rate_gbit_s=_rate_gbit_s(text) if has_plugs else None,
        connector=connectors[0] if connectors else None,
        far_connector=connectors[1] if len(connectors) > 1 and kind == CABLE else None,
        n_far=_n_far(text) if is_cable else None,
        top=_top(text, kind),
        medium=_medium(text, kind, optic),
        grade=grade[1].upper() if grade else None,
        optic=optic,
        plug=_plug(plug) if plug else None,
        polish=polish[1].upper() if polish else None,
        length_m=length if is_cable else None,
        reach_m=length if kind == MODULE else None,
        protocols=_protocols(text),
        ports=max((int(a or b) for a, b in ports), default=None),
        gpu=gpu[1].upper().replace(" ", "") if gpu else None,
    )


def _found(pattern: re.Pattern[str], text: str, is_asked: bool) -> re.Match[str] | None:
    return pattern.search(text) if is_asked else None


def kind_of(text: str) -> str | None:
    """What kind of thing the words name; services and accessories first, whatever they are for."""
    if SERVICE.search(text) and not _WITH_SERVICE.search(text):
        return SERVICE_KIND
    first = min(
        (int(found.lastgroup[1:]) for found in _ANY_KIND.finditer(text.lower()) if found.lastgroup), default=None
    )
    return None if first is None else _KINDS[first][0]


def coded_length_m(part_number: str) -> float | None:
    """The length that a cable's part number ends in: -N003 is 3 m, -N01A 1.5 m, -00N030 30 m, PC02 2 m, -005M 5 m."""
    found = _LENGTH_CODE.search(part_number.upper().rpartition("-")[2] if "-" in part_number else "")
    if not found:
        return None
    if found[1]:
        tens, last = int(found[1]), found[2]
        return tens + 0.5 if last == "A" else float(tens * 10 + int(last)) or None
    return float(found[3] or found[4]) or None


def _optics(text: str) -> Iterator[str]:
    for times, family, lanes in _OPTIC.findall(text):
        yield f"{times}x{family}{lanes}".upper().replace("X", "x") if times else f"{family}{lanes}".upper()


def _medium(text: str, kind: str | None, optic: str | None) -> str | None:
    if kind == CABLE:
        return MULTIMODE if re.search(r"\b(?:aoc|active optical)", text, re.I) else COPPER
    if kind not in (MODULE, FIBER):
        return None
    is_multi, is_single = bool(_MULTI.search(text)), bool(_SINGLE.search(text))
    if is_multi != is_single:
        return MULTIMODE if is_multi else SINGLE_MODE
    if optic:
        return MULTIMODE if re.search(r"SR|VR", optic) else SINGLE_MODE
    return None


def _rate_gbit_s(text: str) -> int | None:
    """The largest rate that the words name: 2x400G is 800."""
    rates = [
        float(rate) * int(times or 1) * (1000 if unit.lower() == "t" else 1)
        for times, rate, unit in _RATE.findall(text)
    ]
    rates += [float(rate) for rate in _BASE.findall(text)]
    known = [rate for rate in rates if 1 <= rate <= 3200]
    return round(max(known)) if known else None


def _length_m(text: str) -> float | None:
    found = _LENGTH.search(text)
    if not found:
        return None
    return round(float(found[1].replace(",", ".")) * _UNIT_M.get(found[2].lower(), 1.0), 3) or None


def _n_far(text: str) -> int | None:
    if found := re.search(
        r"\bto\s+(?:(\d)\s?x|(two|four))|\b1\s?(?:x|to|:|->)\s?([24])\b|\b(splitter|breakout)\b", text, re.I
    ):
        return int(found[1] or found[3] or {"two": 2, "four": 4}.get((found[2] or "two").lower(), 2))
    return 1 if re.search(r"\bstraight\b", text, re.I) else None


def _top(text: str, kind: str | None) -> str | None:
    if kind not in (MODULE, CABLE):
        return None
    found = re.search(r"\b(finned|flat)\b", text, re.I)
    return found[1].lower() if found else None


def _plug(found: re.Match[str]) -> str:
    return "LC" if found[3] else f"MPO-{int(found[2] or 12)}"


def _protocols(text: str) -> frozenset[str] | None:
    names = {
        name
        for name, pattern in (
            ("infiniband", r"\b(?:infiniband|ib|ndr\d*|hdr\d*|xdr|edr)\b"),
            ("ethernet", r"\b(?:ethernet|eth|\d+gbe|roce|gbase\S{0,12})\b"),
        )
        if re.search(pattern, text, re.I)
    }
    return frozenset(names) or None


# ---------------------------------------------------------------- what does not go together


def conflicts(wanted: Profile, offered: Profile, needed_m: float | None = None) -> list[tuple[str, str]]:
    """(code, words) of everything that keeps an offered part from doing what the wanted one does.

    ``needed_m`` is the longest link that the part has to span: a module of less reach is refused only if it falls short of it.
    """
    found = [
        (code, f"{what}: {want} is needed, {have} offered")
        for code, what, want, have in (
            ("connector", "other connector", wanted.connector, offered.connector),
            ("connector", "other far connector", wanted.far_connector, offered.far_connector),
            ("fibre", "other fibre", wanted.medium, offered.medium),
            ("plug", "other fibre connector", wanted.plug, offered.plug),
            ("polish", "other polish", wanted.polish, offered.polish),
            ("gpu", "other GPU", wanted.gpu, offered.gpu),
        )
        if want is not None and have is not None and not _is_same(code, want, have)
    ]
    if wanted.kind == CABLE and offered.medium in (COPPER, MULTIMODE):
        found = [
            one for one in found if one[0] != "fibre"
        ]  # a cable brings both its ends: copper and light are alike to a port
    if wanted.top and offered.top and wanted.top != offered.top and wanted.kind == MODULE:
        found.append(("housing", f"other housing: {wanted.top} is needed, {offered.top} offered"))
    found += _numbers_short(wanted, offered, needed_m)
    if wanted.protocols and offered.protocols and not wanted.protocols & offered.protocols:
        names = {"infiniband": "InfiniBand", "ethernet": "Ethernet"}
        want, have = (
            " or ".join(names.get(p, p) for p in sorted(one)) for one in (wanted.protocols, offered.protocols)
        )
        found.append(("protocol", f"other network: {want} is needed, {have} offered"))
    return found


def _is_same(code: str, want: str, have: str) -> bool:
    if code == "connector":  # QSFP-DD800 cages take QSFP-DD and the reverse is a matter of rate
        return want.removesuffix("800") == have.removesuffix("800")
    return want.upper() == have.upper()


def _numbers_short(wanted: Profile, offered: Profile, needed_m: float | None) -> Iterator[tuple[str, str]]:
    if (
        wanted.rate_gbit_s
        and offered.rate_gbit_s
        and offered.rate_gbit_s != wanted.rate_gbit_s
        and wanted.kind != FIBER
    ):
        is_lane_rate = (
            wanted.kind in (NIC, SWITCH) and offered.rate_gbit_s > wanted.rate_gbit_s
        )  # words name a twin cage's rate
        if not is_lane_rate:
            text = f"other rate: {wanted.rate_gbit_s:,} Gb/s is needed, {offered.rate_gbit_s:,} Gb/s offered"
            yield "rate", text
    if wanted.n_far and offered.n_far and wanted.n_far != offered.n_far:
        yield "splitter", f"other ends: one to {wanted.n_far} is needed, one to {offered.n_far} offered"
    if wanted.length_m and offered.length_m and offered.length_m < wanted.length_m:
        yield "too_short", f"too short: {wanted.length_m:g} m is needed, {offered.length_m:g} m offered"
    limit = needed_m or (wanted.reach_m if wanted.kind == MODULE else None)
    if wanted.kind == MODULE and limit and offered.reach_m and offered.reach_m < min(limit, wanted.reach_m or limit):
        yield "reach", f"too little reach: {limit:g} m is needed, {offered.reach_m:g} m offered"
    n_ports = offered.ports or 0
    if (
        wanted.kind == SWITCH and wanted.ports and 0 < n_ports < wanted.ports != 2 * n_ports
    ):  # words may count twin cages
        yield "ports", f"too few ports: {wanted.ports} are needed, {n_ports} offered"
    want, have = (_GRADES.get(p.grade or "") for p in (wanted, offered))
    if want and have and have < want:
        yield "grade", f"lower grade of fibre: {wanted.grade} is needed, {offered.grade} offered"


WEIGHTS: Mapping[str, float] = {
    "rate_gbit_s": 3,
    "connector": 3,
    "far_connector": 2,
    "medium": 3,
    "cable_kind": 2,
    "protocols": 2,
    "top": 1,
    "n_far": 2,
    "length_m": 3,
    "reach_m": 1,
    "ports": 2,
    "gpu": 5,
    "plug": 2,
    "polish": 1,
    "grade": 1,
    "optic": 2,
}
