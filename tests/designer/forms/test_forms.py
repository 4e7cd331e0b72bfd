"""The design form: what is typed becomes the spec, every key is asked for once, and problems stand beside their fields."""

import json
import re
from typing import get_args

import pytest
from pydantic_core import PydanticUndefined

from designer.forms.design import DesignForm
from designer.forms.keys import ALL_KEYS, KEYS, SIZE, SIZE_KEYS, SIZE_UNIT, field_name, read_path
from designer.forms.layout import GROUPS, RANGES
from designer.forms.networks import ROLE_FIELDS, ROLE_KEYS
from designer.forms.parts.cables import OWN_CABLES
from designer.pages.design.preview import live
from designer.services.designs.samples import SAMPLES
from designer.templatetags.page import are_slips
from estimator.catalog.loader import load_catalog
from estimator.spec.fabric import Role
from estimator.spec.parse import parse_spec

MINIMAL = {
    "name": "Mine",
    "compute__server": "dgx-h100",
    "size": "1,016",
    "size_unit": "gpus",
    "fabric__generation": "ndr",
}


def filled(**changes):
    form = DesignForm({**MINIMAL, **changes})
    form.is_valid()
    return form


def test_every_key_of_a_spec_is_in_the_form_exactly_once():
    asked = [path for group in GROUPS for path in (*group.main, *group.more)]
    assert len(asked) == len(set(asked))
    assert set(asked) == {*KEYS, SIZE, OWN_CABLES, *ROLE_FIELDS, *ROLE_KEYS}
    assert set(ALL_KEYS) == {*KEYS, *SIZE_KEYS.values()}


def test_every_field_is_explained_and_every_count_has_its_unit():
    form = DesignForm(values={})
    for key in KEYS.values():
        field = form.fields[key.name]
        assert field.help_text == key.help
        assert key.help.startswith(key.info.description or "")
        assert field.help_text.endswith(".")
        assert field.label == key.info.title
    assert vars(form.fields["fabric__leaf_radix"])["unit"] == "ports"
    assert vars(form.fields["site__node_leaf_m"])["unit"] == "m"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_goes_through_the_form_unchanged(sample):
    spec = sample.spec()
    form = DesignForm(DesignForm(values=spec.as_given()).typed())
    assert form.is_valid(), form.errors
    assert form.spec.as_json() == spec.as_json()


def test_what_the_form_does_not_ask_for_goes_through_it_unchanged():
    values = {
        "compute": {"server": "dgx-h100", "nodes": 16},
        "fabric": {"generation": "ndr"},
        "site": {"set_lengths": [{"a": "node-0001", "b": "leaf-r1-001", "length_m": 12}], "plan": {"rack_units": 52}},
    }
    spec = parse_spec(values, load_catalog())
    form = DesignForm(DesignForm(values=spec.as_given()).typed())
    assert form.is_valid(), form.errors
    assert form.spec.as_json() == spec.as_json()
    assert form.spec.as_json()["site"]["plan"]["rack_units"] == 52


def test_a_floor_plan_is_a_box_to_tick_and_its_fields_count_once_it_is():
    assert filled(site__plan__rack_units="52").spec.site.plan is None
    assert filled(site__plan="on").spec.site.plan.rack_units == 48
    planned = filled(site__plan="on", site__plan__rack_units="52", site__plan__leaf_placement="in-rack")
    assert (planned.spec.site.plan.rack_units, planned.spec.site.plan.leaf_placement) == (52, "in-rack")
    options = dict(planned.fields["site__plan__leaf_placement"].widget.choices)
    assert (options[""], options["in-rack"]) == ("Automatic", "In rack")


def test_each_other_network_is_a_box_and_keeps_what_was_said_of_it():
    given = [{"role": "storage", "extra_endpoints": 12}, {"role": "in-band"}]
    spec = parse_spec(
        {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}, "other_fabrics": given},
        load_catalog(),
    )
    typed = DesignForm(values=spec.as_given()).typed()
    assert [name for name in typed if name.startswith("other_fabrics") and typed[name] == "on"] == [
        "other_fabrics__storage",
        "other_fabrics__in-band",
    ]
    assert typed["other_fabrics__storage__extra_endpoints"] == "12"
    del typed["other_fabrics__in-band"]
    form = DesignForm(typed | {"other_fabrics__out-of-band": "on"})
    assert form.is_valid(), form.errors
    assert form.spec.other_fabrics[0].extra_endpoints == 12
    assert [one.role for one in form.spec.other_fabrics] == ["storage", "out-of-band"]


def test_what_is_typed_of_a_network_joins_what_was_said_of_it():
    given = [
        {"role": "storage", "tiers": 2, "extra_endpoints": 12, "ports_per_node": 2},
        {"role": "storage", "generation": "roce-400"},
    ]
    typed = DesignForm(
        values={"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}, "other_fabrics": given}
    ).typed()
    changes = {
        "other_fabrics__storage__extra_endpoints": "",
        "other_fabrics__storage__dual_homed": "on",
        "other_fabrics__storage__oversubscription": "2:1",
        "other_fabrics__converged__dual_homed": "on",
    }
    form = DesignForm(typed | changes)
    assert form.is_valid(), form.errors
    assert form.spec.as_given()["other_fabrics"] == [
        {"role": "storage", "tiers": 2, "ports_per_node": 2, "dual_homed": True, "oversubscription": "2:1"},
        {"role": "storage", "generation": "roce-400"},
    ]


def test_a_problem_of_another_network_stands_beside_its_field():
    form = filled(
        **{
            "other_fabrics__storage": "on",
            "other_fabrics__storage__extra_endpoints": "3",
            "other_fabrics__storage__dual_homed": "on",
            "other_fabrics__in-band": "on",
            "other_fabrics__in-band__ports_per_node": "many",
        }
    )
    assert set(form.errors) == {"other_fabrics__storage__extra_endpoints", "other_fabrics__in-band__ports_per_node"}
    kept = json.dumps({"other_fabrics": [{"role": "out-of-band", "leaf_uplinks": 9}]})
    form = filled(**{"other_fabrics__out-of-band": "on", "kept": kept})
    assert set(form.errors) == {"other_fabrics__out-of-band"}  # a key without a field: beside the network's box


def test_every_role_has_its_box():
    assert {f"other_fabrics.{role}" for role in get_args(Role)} == set(ROLE_FIELDS)


@pytest.mark.parametrize("kept", ["{", "[" * 200_000, '{"other_fabrics": 7}', '["site.plan"]', '{"compute.nodes": 1}'])
def test_what_is_handed_through_is_checked_as_the_rest_is(kept):
    form = filled(kept=kept)
    assert form.errors or form.spec.compute.nodes == filled().spec.compute.nodes


def test_what_the_parts_imply_stays_blank_and_follows_another_server():
    saved = parse_spec(
        {"compute": {"server": "dgx-h100", "nodes": 16}, "fabric": {"generation": "ndr"}}, load_catalog()
    )
    typed = DesignForm(values=saved.as_given()).typed()
    assert "compute__nics_per_node" not in typed
    other = DesignForm({**typed, "compute__server": "gb200-tray", "fabric__generation": "ndr"})
    assert other.is_valid(), other.errors
    assert other.spec.compute.nics_per_node == 4


def test_what_was_said_against_the_parts_stays_said():
    values = {
        "compute": {"server": "dgx-h100", "nodes": 16, "gpus_per_node": 4},
        "fabric": {"generation": "ndr", "leaf_downlinks": 20},
    }
    said = parse_spec(values, load_catalog()).as_given()
    assert read_path(said, "compute.gpus_per_node") == 4
    assert read_path(said, "fabric.leaf_downlinks") == 20
    assert read_path(said, "fabric.leaf_radix") is None


def test_a_size_in_gpus_stays_in_gpus():
    spec = parse_spec(
        {"compute": {"server": "dgx-h100", "gpus": 1001}, "fabric": {"generation": "ndr"}}, load_catalog()
    )
    typed = DesignForm(values=spec.as_given()).typed()
    assert (typed[SIZE], typed[SIZE_UNIT]) == ("1001", "gpus")


@pytest.mark.parametrize("text", ["1016", "1,016", " 1 016 ", "1\N{NO-BREAK SPACE}016"])
def test_thousands_may_be_set_apart(text):
    assert filled(size=text).spec.compute.gpus == 1016


@pytest.mark.parametrize(
    ("typed", "field", "code"),
    [
        ({"size": "many"}, "size", "wrong_type"),
        ({"size": "0"}, "size", "out_of_range"),
        ({"size": ""}, "size", "missing"),
        ({"size": "9" * 5000}, "size", "wrong_type"),
        ({"size": str(2**40)}, "size", "out_of_range"),
        ({"fabric__oversubscription": "0:1"}, "fabric__oversubscription", "not_a_ratio"),
        ({"fabric__oversubscription": "3"}, "fabric__oversubscription", "not_a_ratio"),
        ({"fabric__leaf_radix": "12.5"}, "fabric__leaf_radix", "wrong_type"),
        ({"fabric__generation": "token-ring"}, "fabric__generation", "not_a_choice"),
        ({"fabric__leaf_switch": "nvidia-sn5600"}, "fabric__leaf_switch", "switch_does_not_fit"),
        ({"compute__server": "abacus"}, "compute__server", "unknown_part"),
        ({"economics__pue": "nan"}, "economics__pue", None),
        ({"economics__pue": "0.5"}, "economics__pue", "out_of_range"),
        ({"site__node_leaf_m": "-3"}, "site__node_leaf_m", "out_of_range"),
        ({"name": "x" * 201}, "name", "out_of_range"),
    ],
)
def test_a_problem_stands_beside_its_field_and_nothing_typed_is_lost(typed, field, code):
    form = filled(**typed)
    assert form.spec is None
    errors = form.errors.as_data()[field]
    if code:
        assert code in [error.code for error in errors]
    assert form[field].value() == typed[field]
    assert (
        str(typed[field])[:40] in str(form[field])
        or not typed[field]
        or field.endswith(("server", "generation", "switch"))
    )


@pytest.mark.parametrize(("typed", "share"), [("10%", 0.1), ("12.3 %", 0.123), ("0.1", 0.1), ("60%", 0.6)])
def test_a_share_may_be_typed_in_per_cent(typed, share):
    form = filled(economics__volume_discount=typed)
    assert form.spec is not None, form.errors
    assert form.spec.economics.volume_discount == share


@pytest.mark.parametrize("typed", ["ten%", "%", "130 %", "1e999999999%"])
def test_what_is_no_share_in_per_cent_is_refused(typed):
    assert "economics__volume_discount" in filled(economics__volume_discount=typed).errors


def test_all_problems_are_found_at_once():
    form = filled(fabric__oversubscription="1:0", economics__years="99", site__leaf_spine_m="0")
    assert {"fabric__oversubscription", "economics__years", "site__leaf_spine_m"} <= set(form.errors)


def test_a_problem_of_no_field_goes_to_the_top():
    from estimator.errors import Problem

    form = filled()
    form.add_problems([Problem("fabric.no_such_key", "x", "A word.")])
    assert form.non_field_errors() == ["A word."]


def test_a_group_with_a_problem_is_open():
    groups = {group["key"]: group for group in filled(economics__pue="0.5").groups()}
    assert groups["money"]["is_open"]
    assert [section.title for section in groups["money"]["sections"] if section.has_errors] == ["Running cost"]
    assert not groups["site"]["is_open"]


def test_a_fold_says_what_its_fields_hold():
    spec = parse_spec({"compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}, load_catalog())
    groups = {group["key"]: group for group in DesignForm(values=spec.as_given(), resolved=spec.as_json()).groups()}
    shown = {row["name"]: row["value"] for row in groups["fabric"]["sections"][1].digest}
    assert shown["fabric__leaf_switch"] == "QM9700", "what the blank stands for"
    more = {row["name"]: row["value"] for row in groups["compute"]["sections"][0].more_digest}
    assert more["compute__nics_per_node"] == "8"
    assert {row["name"]: row["value"] for row in groups["workload"]["digest"]}["workload__gpudirect"] == "yes"


def test_every_slider_holds_what_its_field_may():
    form = DesignForm(values={})
    for path, span in RANGES.items():
        assert vars(form.fields[field_name(path)])["range"] is span
        for value in span.stops or (span.low, span.high):
            if path != SIZE and not path.startswith("site.plan"):
                assert field_name(path) not in filled(**{field_name(path): str(value)}).errors, (path, value)


def test_a_blank_shows_what_it_stands_for():
    spec = parse_spec({"compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}, load_catalog())
    form = DesignForm(values={}, resolved=spec.as_json())
    assert 'placeholder="64"' in str(form["fabric__leaf_radix"])
    assert "Automatic: QM9700" in str(form["fabric__leaf_switch"])


def test_every_gpu_server_is_on_the_list_and_none_is_automatic():
    spec = parse_spec({"compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}, load_catalog())
    html = str(DesignForm(values={}, resolved=spec.as_json())["compute__server"])
    listed = re.findall(r'<option value="([^"]*)"', html)
    assert sorted(listed) == sorted(
        [key for key, server in load_catalog().servers.items() if server.gpu_count and server.role != "rack"]
        + ["custom"]
    )


def test_switches_carry_the_generations_they_fit():
    html = str(DesignForm(values={})["fabric__leaf_switch"])
    assert '<option value="nvidia-sn5600" data-fits="' in html
    fits = html.split('value="nvidia-qm9700" data-fits="')[1].split('"')[0].split()
    assert "ndr" in fits
    assert not [generation for generation in fits if generation.startswith("roce")]


def test_fields_map_to_html_names_without_dots():
    assert field_name("fabric.reserved.leaf_ports") == "fabric__reserved__leaf_ports"
    assert {field_name(path) for path in SIZE_KEYS.values()} == {SIZE}
    assert all(key.info.title is not PydanticUndefined and key.info.title for key in KEYS.values())


def test_fields_of_shares_have_a_place_for_their_per_cent() -> None:
    shares = {path for path, key in KEYS.items() if key.is_share}
    assert {
        "economics.utilization",
        "economics.load_factor",
        "economics.volume_discount",
        "site.plan.slack_share",
    } <= shares
    assert not {"economics.pue", "economics.years", "economics.electricity_usd_per_kwh", "fabric.planes"} & shares
    assert all(path in RANGES for path in shares), "the slider's script fills the place"


@pytest.mark.parametrize(
    ("changes", "name", "filled_in"),
    [
        ({"size": "0", "size_unit": "nodes"}, "size", {"size": "1", "size_unit": "nodes"}),
        ({"size": "12.5", "size_unit": "nodes"}, "size", {"size": "13", "size_unit": "nodes"}),
        ({"size": "99999999", "size_unit": "nodes"}, "size", {"size": "131072", "size_unit": "nodes"}),
        ({"fabric__oversubscription": "5:0"}, "fabric__oversubscription", {"fabric__oversubscription": "5:1"}),
        ({"economics__utilization": "150"}, "economics__utilization", {"economics__utilization": "1"}),
    ],
)
def test_a_slip_has_a_button_that_mends_it(changes, name, filled_in):
    (problem,) = live(filled(**changes), None).problems
    assert problem["field"] == name
    assert are_slips([problem])
    assert json.loads(problem["proposal"]["fields"]) == filled_in


def test_two_fields_with_one_message_keep_a_button_each():
    problems = live(filled(fabric__planes="0", fabric__rails_per_leaf="0"), None).problems
    assert len({problem["message"] for problem in problems}) == 1
    assert [set(json.loads(problem["proposal"]["fields"])) for problem in problems] == [
        {problem["field"]} for problem in problems
    ]


def test_what_cannot_be_built_is_no_slip():
    form = filled(size="4096", fabric__tiers="2")
    problems = live(form, form.spec).problems
    assert problems
    assert not are_slips(problems)
