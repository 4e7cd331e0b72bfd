"""An account in which every page has something to show: made with the app's own services, for pictures and for tests of pages.

``make()`` runs beside a started app, on its database: the app's worker does the estimates (see ``browser.accounts``).
"""

from __future__ import annotations

import time
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from designer.models import Calibration, Comparison, Design, PriceBook, Quote, SignInLink
from designer.services.accounts import local_owner
from designer.services.baselines import mark
from designer.services.calibrations import save_calibration
from designer.services.comparison_sides import resolved_items
from designer.services.comparisons import create_comparison
from designer.services.designs.edits import record, start_state
from designer.services.designs.samples import add_samples
from designer.services.designs.saving import request_estimate, save_design, save_version
from designer.services.designs.state import figures_now
from designer.services.designs.variants import branch
from designer.services.prices.books import create_book, revise_book
from designer.services.quotes import create_quote
from designer.services.searches.jobs import request_search
from designer.services.sharing import issue
from estimator.calibration.site_fit import calibrate
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob, SearchChunk, SearchJob
from estimator.search.search import cuts_of
from estimator.spec.parse import parse_spec
from estimator.version import MODEL_VERSION
from tests.estimator.calibration.log_texts import LOGS
from tests.estimator.quotes.quote_files import HEADER, whole_quote, workbook

WAIT_S = 180
HALL = {
    "name": "Aurora hall 2",
    "compute": {"server": "dgx-h100", "nodes": 96},
    "fabric": {
        "generation": "ndr",
        "leaf_switch": "nvidia-qm9700",
        "scalable_unit_nodes": 32,
        "oversubscription": "2:1",
    },
}
GROWN = {
    "compute": {"server": "dgx-h100", "nodes": 127},
    "fabric": HALL["fabric"] | {"provision": "full-unit", "reserved": {"fabric_manager_links": 4}},
}
FULL = GROWN | {"fabric": GROWN["fabric"] | {"oversubscription": "1:1", "grow_to_nodes": 256}}
PLANNED = FULL | {
    "site": {"plan": {}},
    "other_fabrics": [
        {"role": "storage", "generation": "ndr", "extra_endpoints": 16},
        {"role": "in-band"},
        {"role": "out-of-band"},
    ],
}
PRICED = PLANNED | {"economics": {"years": 5, "electricity_usd_per_kwh": 0.11, "cloud_usd_per_gpu_hour": 2.9}}
REVISIONS = (HALL, HALL | GROWN, HALL | FULL, HALL | PLANNED, HALL | PRICED)
NAMES = {0: "First idea", 2: "Bid 1", 4: "Bid 2, with prices"}  # of the versions of the hall
VARIANTS = {
    "Aurora hall 2, 2:1": {"oversubscription": "2:1"},
    "Aurora hall 2, RoCE": {"generation": "roce-400", "leaf_switch": None, "reserved": {}},
}
LARGEST = {
    "name": "Frontier campus, 131,072 GPUs",
    "compute": {"server": "dgx-b300", "gpus": 131_072},
    "fabric": {"generation": "roce-400", "planes": 2},
}
UNIT = {"name": "One scalable unit", "compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr"}}
ROCE = {
    "name": "Borealis, RoCE",
    "compute": {"server": "dgx-h100", "nodes": 64},
    "fabric": {"generation": "roce-400"},
    "site": {"plan": {}},
}
PHASES = [
    {"date": "2027-03"},
    {"date": "2027-11", "nodes": 128},
    {"date": "2028-09", "nodes": 256, "oversubscription": "2:1"},
]
FARTHER = {"site": {"plan": {"slack_m": 12}}}
LONG = (
    "Northern campus, building 4, second floor, hall B: the training cluster of the language models group, phase two, "
    "with the storage of phase one, as it was offered in November"
)
SEARCHED = {
    "base": {"compute": {"server": "dgx-h100", "nodes": [32, 64]}, "fabric": {"generation": "ndr"}},
    "free": ["fabric.layout", "fabric.leaf_switch"],
    "pareto": ["network_usd", "all_to_all_gb_s"],
}
SEARCHING = {
    "base": {
        "compute": {"server": "dgx-h100", "nodes": {"from": 16, "to": 255}},
        "fabric": {
            "generation": "ndr",
            "oversubscription": ["1:1", "4:3", "3:2", "2:1", "3:1", "4:1"],
            "least_spines": {"from": 1, "to": 24},
        },
    },
    "free": ["fabric.layout"],
    "pareto": ["network_usd", "all_to_all_gb_s"],
}
TOO_LARGE = {"size": "600", "size_unit": "nodes", "fabric__tiers": "2"}


def make() -> dict[str, str]:
    """Everything there is to show, and the paths to it."""
    owner = local_owner()
    add_samples(owner)
    unit, long = designed(owner, UNIT), designed(owner, UNIT | {"name": LONG, "phases": PHASES})
    hall, large, draft = designed(owner, *REVISIONS), designed(owner, LARGEST), invalid(owner)
    baselines_and_variants(owner, hall)
    roce = designed(owner, ROCE, ROCE | FARTHER)
    newcomer = cleared_account()
    searched, searching = request_search(owner, SEARCHED, None), half_searched(owner)
    wait_for_estimates(owner, newcomer)
    wait_for_searches(SearchJob.objects.filter(pk=searched.pk))
    book = price_book(owner)
    rows: dict[str, dict[str, Any]] = {
        "designs": {"hall": hall, "large": large, "long": long, "invalid": draft, "roce": roce},
        "prices": {"book": book},
        "quotes": {"quote": checked_quote(owner, unit), "unread": unread_quote(owner, unit)},
        "calibrations": {"calibration": calibration(owner)},
        "comparisons": {"comparison": comparison(owner, hall, book)},
    }
    paths = {name: f"/{folder}/{row.pk}/" for folder, named in rows.items() for name, row in named.items()}
    signing_in = {
        who: f"/sign-in/{SignInLink.issue(user)}/" for who, user in (("owner", owner), ("newcomer", newcomer))
    }
    paths["better"] = f"/explore/?design={hall.pk}"
    paths |= {"searched": f"/explore/jobs/{searched.pk}/", "searching": f"/explore/jobs/{searching.pk}/"}
    return paths | signing_in | {"visitor": f"/shared/{issue(hall, 'read')[1]}/"}


def designed(owner: User, *revisions: dict[str, Any]) -> Design:
    """A design with these states, each saved as a version, and an estimate of the last."""
    design = None
    for values in revisions:
        spec = parse_spec(values, load_catalog())
        design = save_design(owner, spec, design)
        save_version(design, NAMES.get(len(design.revisions.all()), ""), "")
    request_estimate(owner, spec)
    assert design is not None
    return design


def baselines_and_variants(owner: User, hall: Design) -> None:
    """A design that is marked as a baseline, and two variants of it, which are marked as well."""
    mark(owner, hall, "Bid 2")
    for name, change in VARIANTS.items():
        variant = branch(owner, hall)
        given = variant.now.given
        spec = parse_spec(given | {"name": name, "fabric": given["fabric"] | change}, load_catalog())
        save_design(owner, spec, variant)
        mark(owner, variant)
        request_estimate(owner, spec)


def cleared_account() -> User:
    """Somebody who has nothing left, and so is not given the samples of a first visit either."""
    user = User.objects.create_user("newcomer")
    request_estimate(user, parse_spec(UNIT, load_catalog()))
    return user


def invalid(owner: User) -> Design:
    """A design whose last edit asks for more than its tiers can hold."""
    design = designed(owner, UNIT | {"name": "Aurora hall 3, draft"})
    figures_now(design)
    record(design, start_state(design) | TOO_LARGE, "too large", None)
    return design


def wait_for_estimates(*users: User) -> None:
    """Until the app's worker has done all that they asked for."""
    asked = EstimateJob.objects.filter(owner__in=users)
    deadline = time.monotonic() + WAIT_S
    while asked.filter(state__in=EstimateJob.ACTIVE).exists():
        assert time.monotonic() < deadline, "the worker has not done its estimates"
        time.sleep(0.2)
    failed = asked.exclude(state=EstimateJob.State.SUCCEEDED)
    assert not failed, list(failed.values_list("state", "error"))


def wait_for_searches(jobs: QuerySet[SearchJob]) -> None:
    """Until the app's worker has done them."""
    deadline = time.monotonic() + WAIT_S
    while jobs.filter(state__in=SearchJob.ACTIVE).exists():
        assert time.monotonic() < deadline, "the worker has not done its searches"
        time.sleep(0.2)
    failed = jobs.exclude(state=SearchJob.State.SUCCEEDED)
    assert not failed, list(failed.values_list("state", "error"))


def half_searched(owner: User) -> SearchJob:
    """A search of which two workers hold the last ranges for as long as one looks at it."""
    cuts = cuts_of(SEARCHING, load_catalog())
    versions = {"model_version": MODEL_VERSION, "catalog_version": load_catalog().version}
    job = SearchJob.objects.create(
        owner=owner, request=SEARCHING, asked={"ask": SEARCHING, "design": ""}, n_candidates=cuts[-1][1], **versions
    )
    held = {"state": SearchChunk.State.RUNNING, "attempts": 1, "lease_until": timezone.now() + timedelta(days=1)}
    done = {"state": SearchChunk.State.SUCCEEDED, "attempts": 1}
    for at, (first, last) in enumerate(cuts):
        SearchChunk.objects.create(job=job, first=first, last=last, **(done if 3 * at < 2 * len(cuts) else held))
    return job


def price_book(owner: User) -> PriceBook:
    """A book of negotiated prices that has changed twice."""
    today = date.today()

    def price(part: str, usd: int, source: str, days_ago: int, basis: str = "quote") -> dict[str, Any]:
        return {
            "part": part,
            "low": usd * 95,
            "typical": usd * 100,
            "high": usd * 108,
            "basis": basis,
            "source": source,
            "as_of": (today - timedelta(days=days_ago)).isoformat(),
        }

    first = [
        price("nvidia-qm9700", 31_500, "Meridian Networks, offer 4471", 64),
        price("dgx-h100", 298_000, "Frame contract", 90),
    ]
    more = [
        *first,
        price("nv-mma4z00-ns", 690, "Meridian Networks, offer 4502", 31),
        price("nvidia-sn5600", 58_000, "Dealer's list, autumn", 40, "list"),
    ]
    book = create_book(owner, "Negotiated, autumn", first, reason="Frame contract and the first offer", region="Europe")
    revise_book(book, "Second offer: optics, and a list price of the Ethernet switch", more)
    cheaper = price("nvidia-qm9700", 28_900, "Meridian Networks, offer 4519", 9)
    revise_book(book, "Switches came down", [cheaper, *more[1:]])
    return book


def checked_quote(owner: User, unit: Design) -> Quote:
    """A vendor's offer for a design that is dear in one place, short in another, and offers what nobody asked for."""
    rows = whole_quote()
    rows[1][3] = round(rows[1][3] * 1.9, 2)
    rows[2][2] -= 40
    for row in rows[1:3]:
        row[4] = round(row[2] * row[3], 2)
    rows = [
        *rows[:-1],
        ["SVC-PLAT-3Y", "Platinum service, three years", 1, 84_000, 84_000],
        ["", "Freight", 1, 9_500, 9_500],
    ]
    return _quoted(owner, unit, workbook([["Offer 4519, in USD"], HEADER, *rows]), "Offer 4519.xlsx")


def unread_quote(owner: User, unit: Design) -> Quote:
    """An offer whose columns have to be told."""
    rows = [
        ["N", "V", "W", "X"],
        ["MQM9700-NS2F", "QM9700 switch", "13", "30.000,50"],
        ["MMA4Z00-NS", "Twin-port transceiver", "512", "702,00"],
    ]
    return _quoted(owner, unit, workbook(rows), "Angebot 77.xlsx")


def _quoted(owner: User, unit: Design, data: bytes, file_name: str) -> Quote:
    spec = parse_spec(unit.now.given, load_catalog())
    return create_quote(owner, spec, data, file_name, vendor="Meridian Networks", may_ask=True)


def calibration(owner: User) -> Calibration:
    """Constants of a bench, from logs of which one went over sockets."""
    names = ("h100x4_all_reduce.txt", "h100x4_all_gather.txt", "h100x4_sockets.txt")
    logs = [(name, (LOGS / name).read_bytes()) for name in names]
    return save_calibration(owner, "Bench, four H100", {}, calibrate(logs, {}, load_catalog()))


def comparison(owner: User, hall: Design, book: PriceBook) -> Comparison:
    """A design on InfiniBand and on RoCE, and by the book of its buyer."""
    sides = [{"design": str(hall.pk)}, {"sibling": 0}, {"design": str(hall.pk), "price_book": str(book.pk)}]
    return create_comparison(owner, resolved_items(owner, sides), name="Aurora hall 2: families and prices")
