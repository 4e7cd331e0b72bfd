"""The page Explore: what it asks, what it finds, what it refuses, and what becomes of a found design."""

import csv
import html
import io
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import openpyxl
import pytest
from django.contrib.auth.models import User
from django.forms import Form
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from designer.charts.search import PRESENT_PLACE, front_chart
from designer.forms.explore import ExploreForm, control_of
from designer.models import Comparison, Design
from designer.pages.explore.asked import MOST_BYTES
from designer.pages.explore.page import OF_ONE_ANSWER, WORTH, _front_words, design_names
from designer.services.designs.saving import save_design
from designer.services.searches.asking import FRONT, first_request, found, whole_request
from designer.wording.numbers import percent, usd
from estimator.catalog.loader import load_catalog
from estimator.errors import Problem, SpecError
from estimator.pipeline import estimate
from estimator.search.figures import FIGURES
from estimator.search.request import DEFAULT_BYTES
from estimator.spec.parse import parse_spec
from tests.designer.charts.test_charts import rendered

pytestmark = pytest.mark.django_db
SMALL: dict[str, Any] = {
    "base": {
        "compute": {"server": "dgx-h100", "nodes": 32},
        "fabric": {"generation": "ndr", "oversubscription": ["1:1", "2:1"]},
    },
    "free": ["fabric.layout"],
    "objective": "network_usd",
    "pareto": FRONT,
}


def text_of(response: Any) -> str:
    words = re.sub(r"<script.*?</script>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


def shown(page: Client, asked: Any, **more: str) -> Any:
    return page.get(reverse("explore"), {"ask": asked if isinstance(asked, str) else json.dumps(asked), **more})


def sent_by_a_browser(form: Form) -> dict[str, Any]:
    """What a browser sends of a form as it comes."""
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def test_it_begins_with_an_answer_whose_best_comes_first(page: Client) -> None:
    response = page.get(reverse("explore"))
    answer = found(first_request(None), None)
    names = design_names(answer.designs, load_catalog())
    words = text_of(response)
    assert response.status_code == 200
    assert len(set(names)) == len(names) > 10, "designs are told apart by their names"
    tied = answer.undecided if len(answer.undecided) > 1 else []
    order = [*tied, *(at for at in range(len(names)) if at not in tied)]
    places = [words.index(f": compare {names[at]} ") for at in order]
    assert places == sorted(places)
    best = answer.designs[0]
    assert answer.draws is not None
    assert best.chance is not None
    assert f"in {percent(best.chance.wins)} of {answer.draws.n:,} draws".replace("\xa0", " ") in words
    if tied:
        assert f"A tie of {len(tied)}: prices do not tell these designs apart" in words
    assert f"{answer.looked_at:,} combinations were looked at" in words


@pytest.mark.parametrize(
    "asked",
    [
        SMALL,
        SMALL | {"limits": [{"figure": "racks", "most": 40, "at_bytes": 2**30}], "at_bytes": 2**30, "top": 100},
        SMALL | {"objective": "step_s", "workload": {"train": {"model": "llama3-8b", "parallel": {"tp": 8, "pp": 1}}}},
        SMALL
        | {
            "limits": [
                {"figure": "racks", "most": 40, "at_bytes": DEFAULT_BYTES},
                {"figure": "switch_vendors", "barred": ["Arista", "Dell"], "at_bytes": DEFAULT_BYTES},
            ]
        },
        SMALL
        | {
            "limits": [
                {"figure": "vendors", "allowed": ["NVIDIA", "Arista"], "barred": ["Dell"], "at_bytes": 2**20},
                {"figure": "switch_vendors", "barred": ["Cisco"]},
            ],
            "at_bytes": 2**20,
        },
        SMALL
        | {
            "limits": [
                {"figure": figure, "most": 1e9, "at_bytes": 2**20 if figure == "cables" else DEFAULT_BYTES}
                for figure in ("racks", "cables", "switches", "leaves", "spines", "links", "transceivers", "nodes")
            ],
            "pareto": [*FRONT, "power_kw"],
        },
        {
            "base": {
                "compute": {"server": ["dgx-h100", "dgx-h200"], "gpus": {"from": 64, "to": 512, "factor": 2}},
                "fabric": {"generation": "ndr", "leaf_switch": "nvidia-qm9700", "least_spines": {"from": 1, "to": 4}},
            },
            "free": ["fabric.tiers"],
            "objective": "usd_per_gb_s",
            "pareto": FRONT,
        },
    ],
    ids=["free", "limits", "workload", "vendors", "several-of-vendors", "many", "lists-and-ranges"],
)
def test_a_request_goes_through_the_form_and_comes_out_as_it_was(page: Client, asked: dict[str, Any]) -> None:
    response = page.post(reverse("explore"), sent_by_a_browser(ExploreForm(values=asked)))
    assert response.status_code == 302
    (text,) = parse_qs(urlsplit(response["Location"]).query)["ask"]
    usual = {"top": 20, "at_bytes": DEFAULT_BYTES}  # what the form says where nothing was given
    assert usual | json.loads(text) == usual | asked


def test_a_changed_vendor_limit_keeps_what_the_form_does_not_show_and_any_vendor_drops_all() -> None:
    hidden = {"figure": "vendors", "barred": ["Cisco"]}
    asked = SMALL | {"limits": [{"figure": "vendors", "allowed": ["Arista"], "barred": ["Dell"]}, hidden]}
    sent = sent_by_a_browser(ExploreForm(values=asked))
    changed = ExploreForm(sent | {"vendors": ["NVIDIA"]}).asked()["limits"]
    assert changed == [
        {"figure": "vendors", "allowed": ["NVIDIA"], "barred": ["Dell"], "at_bytes": DEFAULT_BYTES},
        hidden,
    ]
    assert "limits" not in ExploreForm(sent | {"vendors_how": ""}).asked()
    damaged = ExploreForm(sent | {"vendors_kept": "[3, {"}).asked()["limits"]
    assert damaged == [{"figure": "switch_vendors", "allowed": ["Arista"], "at_bytes": DEFAULT_BYTES}]


def test_what_is_wrong_is_named_with_its_control(page: Client) -> None:
    base = SMALL["base"]
    wrong = {
        "range_reversed": ("size", SMALL | {"base": base | {"compute": {"gpus": {"from": 512, "to": 64}}}}),
        "contradiction": (
            "limit1",
            SMALL | {"limits": [{"figure": "racks", "most": 9}, {"figure": "racks", "least": 10}]},
        ),
        "unknown_figure": ("objective", SMALL | {"objective": "price"}),
        "not_a_choice": ("site__node_leaf_m", SMALL | {"free": ["site.node_leaf_m"]}),
    }
    for code, (control, asked) in wrong.items():
        with pytest.raises(SpecError) as refused:
            found(asked, None)
        assert [one.code for one in refused.value.problems] == [code]
        response = shown(page, asked)
        assert response.status_code == 422
        assert refused.value.problems[0].message in text_of(response)
        if control in ExploreForm().fields:
            assert control_of(refused.value.problems[0], asked)[0] == control
            assert f'href="#id_{control}"' in response.content.decode()


@pytest.mark.parametrize(
    ("base", "more", "control"),
    [
        ({"fabric": {"generation": "ndr", "tiers": [True]}}, {}, "fabric__tiers"),
        ({"compute": {"gpus": {"from": 64, "to": 10**9}}}, {}, "size"),
        ({"compute": {"gpus": ["many"]}}, {}, "size"),
        ({}, {"limits": [{"figure": "racks", "most": "ten"}]}, "limit0"),
        ({}, {"limits": [{"figure": "tiers", "least": 4}]}, "limit0"),
        ({}, {"limits": [{"figure": "switch_vendors", "barred": ["Nvidea"]}]}, "vendors"),
        ({}, {"workload": {"train": {"model": "llama-x"}}}, "work_model"),
    ],
)
def test_wrong_types_and_limits_are_named_beside_their_control(
    page: Client, base: dict[str, Any], more: dict[str, Any], control: str
) -> None:
    response = shown(page, SMALL | {"base": SMALL["base"] | base} | more)
    assert response.status_code == 422
    assert f'href="#id_{control}"' in response.content.decode()


def test_limits_behind_one_of_vendors_keep_their_control() -> None:
    vendors = {"figure": "switch_vendors", "barred": ["Cisco"]}
    limits = [vendors, {"figure": "racks", "most": 9}, vendors, {"figure": "tiers", "least": 4}]
    asked = SMALL | {"limits": limits}
    with pytest.raises(SpecError) as refused:
        found(asked, None)
    assert [control_of(one, asked) for one in refused.value.problems] == [("limit1", "Limit 2")]
    assert ExploreForm(values=asked)["limit1"].value() == "tiers"


def test_limits_on_vendors_that_the_controls_do_not_show_stand_beside_them(page: Client) -> None:
    hidden = {"figure": "vendors", "barred": ["Cisco", "Edgecore"]}
    first = {"figure": "switch_vendors", "allowed": ["NVIDIA"]}
    words = text_of(shown(page, SMALL | {"limits": [first, hidden]}))
    said = "Vendors of switches, transceivers and cables: none of Cisco, Edgecore"
    assert f"“Any vendor” drops this too: {said} " in words
    assert "drops this too" not in text_of(shown(page, SMALL | {"limits": [first]}))
    both = first | {"barred": ["Dell"]}
    assert "Vendors of switches: only NVIDIA and none of Dell" in text_of(shown(page, SMALL | {"limits": [both]}))


def test_vendors_that_would_have_to_be_let_in_are_one_click_away(page: Client) -> None:
    base = {"compute": {"server": "hgx-h200-8u", "gpus": 64}, "fabric": {"generation": "roce-400"}}
    for limit in ({"allowed": ["Cisco"]}, {"barred": ["NVIDIA"]}):
        response = shown(page, {"base": base, "limits": [{"figure": "switch_vendors"} | limit]})
        way = re.search(r'<li><a href="([^"]+)">NVIDIA allowed too', response.content.decode())
        assert way is not None
        assert "Designs, the best first" in text_of(page.get(html.unescape(way[1])))


def test_a_request_that_an_address_cannot_hold_is_refused_with_a_way_out(page: Client) -> None:
    sent = sent_by_a_browser(ExploreForm(values=SMALL))
    sent |= {"fabric__least_spines.how": "list", "fabric__least_spines.list": ", ".join(map(str, range(1000, 2000)))}
    response = page.post(reverse("explore"), sent)
    assert response.status_code == 422
    assert f"{MOST_BYTES:,} is the most here" in text_of(response)
    assert "POST /api/v1/searches/" in text_of(response)


NO_REQUESTS = (
    "{",
    "[]",
    '{"base": {}, "free": [3]}',
    '{"base": {}, "free": [["tiers"]]}',
    '{"base": 7}',
    '{"base": {}, "limits": 3}',
    '{"base": {"compute": 5}}',
    '{"a": NaN}',
)


@pytest.mark.parametrize("text", NO_REQUESTS)
def test_what_is_no_request_is_refused_without_a_traceback(page: Client, text: str) -> None:
    response = shown(page, text)
    assert response.status_code == 422
    assert "This was not searched" in text_of(response)


def test_where_nothing_meets_the_limits_what_would_is_one_click_away(page: Client) -> None:
    asked = SMALL | {"limits": [{"figure": "network_usd", "most": 100_000}]}
    response = shown(page, asked)
    assert "No design meets all of this" in text_of(response)
    way = re.search(r'<li><a href="([^"]+)">Network purchase', response.content.decode())
    assert way is not None
    after = page.get(html.unescape(way[1]))
    assert "Designs, the best first" in text_of(after)


def test_where_the_objective_is_not_known_the_page_says_that_and_not_to_drop_limits(page: Client) -> None:
    base = {"compute": {"server": "custom", "nodes": 32}, "fabric": {"generation": "ndr"}}
    words = text_of(shown(page, {"base": base, "objective": "network_usd"}))
    assert "Of the 1 design that can be built none has a known network purchase" in words
    assert "Drop a limit" not in words


def test_a_limit_that_costs_money_says_how_much(page: Client) -> None:
    base = SMALL["base"] | {"compute": {"server": "dgx-h100", "nodes": 64}}
    words = text_of(shown(page, {"base": base, "limits": [{"figure": "oversubscription", "most": 1}]}))
    assert re.search(
        r"What binds Oversubscription of the worst leaf: at most 1:1 costs \$.{3,10}: without it the best is", words
    )


# ---------------------------------------------------------------- from a design


def poor(owner: User) -> Design:
    """A design that pays for a third tier without need."""
    base = {"compute": {"server": "dgx-h100", "nodes": 32}, "fabric": {"generation": "ndr", "tiers": 3}}
    return save_design(owner, parse_spec({"name": "Poor", **base}, load_catalog()))


def test_from_a_design_the_present_one_is_marked_and_its_regret_is_in_dollars(page: Client, owner: User) -> None:
    design = poor(owner)
    asked = first_request(design) | {"free": ["fabric.tiers"]}
    asked["base"]["fabric"].pop("tiers")
    answer = found(asked, design)
    assert answer.present is not None
    (regret,) = answer.present.regret
    best = answer.designs[regret.design]
    assert regret.figure == "network_usd"
    assert regret.by == pytest.approx(answer.present.figures["network_usd"] - best.figures["network_usd"])
    assert best.figures["all_to_all_gb_s"] >= answer.present.figures["all_to_all_gb_s"]
    words = text_of(shown(page, asked, design=str(design.pk)))
    assert "There is a better one" in words
    assert "less , and no worse otherwise" in words
    chart = front_chart(answer, design_names(answer.designs, load_catalog()), FRONT)
    assert chart is not None
    assert [row["series"] for row in chart.spec["data"]["values"] if row["place"] == PRESENT_PLACE] == ["s2"]


def test_what_the_form_does_not_show_of_a_design_stays(owner: User) -> None:
    given = {
        "name": "Hall",
        "compute": {"server": "dgx-h100", "nodes": 32},
        "fabric": {"generation": "ndr", "reserved": {"leaf_ports": 2}, "oversubscription": "2:1"},
        "economics": {"pue": 1.2, "years": 5},
    }
    design = save_design(owner, parse_spec(given, load_catalog()))
    whole = whole_request({"base": {"compute": {"gpus": 512}, "fabric": {"generation": "ndr"}}}, design)
    assert whole["base"]["compute"] == {"gpus": 512}
    assert whole["base"]["fabric"] == {"generation": "ndr", "reserved": {"leaf_ports": 2}}
    assert whole["base"]["economics"] == {"pue": 1.2}
    assert whole["present"]["fabric"]["oversubscription"] == "2:1"


def test_what_is_not_searched_is_said_with_what_the_design_has_of_it(page: Client, owner: User) -> None:
    given = {**SMALL["base"], "other_fabrics": [{"role": "storage"}], "site": {"plan": {}}}
    given["fabric"] = {"generation": "ndr"}
    design = save_design(owner, parse_spec({"name": "Hall", **given}, load_catalog()))
    compute = {"server": "dgx-h100", "nodes": 32}
    asked = {"base": {"compute": compute, "fabric": {"generation": "ndr"}}, "objective": "network_usd"}
    words = text_of(shown(page, asked, design=str(design.pk)))
    assert "has the networks beside compute (storage) and the floor plan of the request" in words
    plain = text_of(shown(page, SMALL))
    assert "of the request, counted and priced" not in plain
    assert "Not varied here" in plain
    assert "no torus, no dragonfly" in plain


def test_the_design_of_somebody_else_is_not_searched_from(page: Client) -> None:
    design = poor(User.objects.create_user("somebody else"))
    for address in (f"?design={design.pk}", "?design=nonsense"):
        assert page.get(reverse("explore") + address).status_code == 404


# ---------------------------------------------------------------- what becomes of a found design


def test_a_found_design_opens_as_a_design_with_the_figures_of_the_list(page: Client, owner: User) -> None:
    origin = poor(owner)
    answer = found(SMALL, None)
    one = answer.designs[1]
    sent = {"ask": json.dumps(SMALL), "open": json.dumps(one.values), "design": ""}
    response = page.post(reverse("explore-open"), sent)
    design = owner.designs.exclude(pk=origin.pk).get()
    assert response["Location"] == reverse("design", args=[design.pk])
    (made,) = estimate([parse_spec(design.given, load_catalog())], load_catalog(), ("counts", "cables", "bom", "cost"))
    assert made.cost.capex_usd.network.typical == one.figures["network_usd"]
    assert made.fabrics["compute"].counts.switches == one.figures["switches"]
    page.post(reverse("explore-open"), sent | {"design": str(origin.pk)})
    assert origin.variants.count() == 1, "from a design, a found one is its variant"


def test_ticked_designs_are_compared_with_the_present_one_as_the_baseline(page: Client, owner: User) -> None:
    design = poor(owner)
    picked = ["present", *(json.dumps(one.values) for one in found(SMALL, design).designs[:2])]
    response = page.post(
        reverse("explore-compare"), {"ask": json.dumps(SMALL), "design": str(design.pk), "pick": picked}
    )
    row = Comparison.objects.get(owner=owner)
    assert response["Location"] == reverse("comparison", args=[row.pk])
    words = text_of(page.get(response["Location"]))
    assert "Poor" in words
    assert "Rail-optimized" in words
    refused = page.post(reverse("explore-compare"), {"ask": json.dumps(SMALL), "pick": picked[1:2]}, follow=True)
    assert "A comparison has 2 to 8 designs, and 1 are ticked." in text_of(refused)


def test_files_have_every_design_and_figure(page: Client) -> None:
    answer = found(SMALL, None)
    files = {
        form: page.get(reverse("explore-file", args=[form]), {"ask": json.dumps(SMALL)})
        for form in ("csv", "xlsx", "json")
    }
    rows = list(csv.DictReader(io.StringIO(files["csv"].content.decode())))
    assert [float(row["network_usd"]) for row in rows] == [one.figures["network_usd"] for one in answer.designs]
    assert [row["is_on_front"] for row in rows] == [str(at in answer.front).lower() for at in range(len(rows))]
    sheet = openpyxl.load_workbook(io.BytesIO(files["xlsx"].content))["Found designs"]
    assert sheet.max_row == len(rows) + 1
    assert json.loads(files["json"].content) == {"request": SMALL, "answer": answer.as_json()}
    assert page.get(reverse("explore-file", args=["txt"])).status_code == 404
    assert page.get(reverse("explore-file", args=["csv"]), {"ask": '{"base": 1}'}).status_code == 422


def test_the_paper_has_the_front_the_designs_and_the_request(page: Client, owner: User) -> None:
    design = poor(owner)
    asked = SMALL | {"limits": [{"figure": "oversubscription", "most": 1}]}
    address = {"ask": json.dumps(asked), "design": str(design.pk)}
    response = page.get(reverse("explore-file", args=["pdf"]), address)
    assert response["Content-Type"] == "application/pdf"
    words = " ".join(" ".join(one.extract_text() for one in PdfReader(io.BytesIO(response.content)).pages).split())
    answer = found(asked, design)
    for name in design_names(answer.designs, load_catalog()):
        assert name in words
    for said in (
        "All-to-all on all GPUs against network purchase",
        "Better than the present design",
        "How sure the prices are",
    ):
        assert said in words
    assert usd(answer.designs[0].figures["network_usd"]).replace("\xa0", " ") in words
    assert '"figure": "oversubscription"' in words
    impossible = SMALL | {"limits": [{"figure": "racks", "most": 1}]}
    nothing = page.get(reverse("explore-file", args=["pdf"]), {"ask": json.dumps(impossible)})
    assert "What would make a design possible" in PdfReader(io.BytesIO(nothing.content)).pages[0].extract_text()


def test_the_chart_draws(page: Client) -> None:
    answer = found(SMALL, None)
    chart = front_chart(answer, design_names(answer.designs, load_catalog()), FRONT)
    assert chart is not None
    (drawn,) = rendered([chart.spec])
    assert drawn["length"] > 5_000, "points, line and axes"
    assert len(chart.table.rows) == len(answer.designs)


def test_a_problem_of_no_control_has_none() -> None:
    assert control_of(Problem("at_bytes.x", "wrong", ""), {}) == ("", "")
    assert control_of(Problem("free[3]", "wrong", ""), {"free": []}) == ("", "")


def test_what_draws_say_of_the_front_names_others_only_where_there_are_some() -> None:
    assert _front_words(7, 7) == "All 7 designs of the front are on it in 95 % of the draws or more."
    assert _front_words(1, 1) == "The design of the front is on it in 95 % of the draws or more."
    assert _front_words(1, 3).startswith(
        "1 of 3 designs of the front is on it in 95 % of the draws or more; the others"
    )


def test_what_a_design_has_and_the_best_lacks_is_named_without_yes() -> None:
    """ "for a switch has its own management yes" was no sentence."""
    yes_or_no = {name for name in WORTH if FIGURES[name].unit == "yes or no"}
    assert yes_or_no
    assert yes_or_no <= set(OF_ONE_ANSWER)
