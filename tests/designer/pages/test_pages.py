"""Pages: what each shows, what it refuses, and that one user's designs are nobody else's."""

import html
import re
import uuid

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from designer.models import Design
from designer.pages.result.bill import category_totals
from designer.services.accounts import local_owner
from designer.services.designs.samples import SAMPLES, add_samples
from designer.services.designs.saving import request_estimate, save_design
from designer.wording import numbers
from designer.wording.headlines import headlines
from estimator.bom.result import BomWithLines
from estimator.catalog.loader import load_catalog
from estimator.errors import CatalogError
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.result import PricedEstimate
from estimator.spec.parse import parse_spec

SUPERPOD = SAMPLES[0]
FORM = {"name": "Mine", "compute__server": "dgx-h100", "size": "1024", "size_unit": "gpus", "fabric__generation": "ndr"}
HTMX = {"HX-Request": "true"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def design(owner):
    return save_design(owner, SUPERPOD.spec())


MARKUP = r'<script.*?</script>|\u2060<a class="help-dot".*?</a>|<[^>]+>'


def finished(owner, spec):
    job, _ = request_estimate(owner, spec)
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    assert job.state == EstimateJob.State.SUCCEEDED
    return job


def status_url(design, job):
    return reverse("estimate-status", args=[design.pk, job.pk])


def text_of(response):
    """The words of a page, as read."""
    words = re.sub(MARKUP, " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(words))


class TestAccess:
    @pytest.mark.parametrize("name", ["home", "designs", "design-new"])
    def test_a_page_asks_for_a_sign_in_and_comes_back(self, client, name):
        response = client.get(reverse(name))
        assert response.status_code == 302
        assert response.url == f"{reverse('sign-in')}?next={reverse(name)}"

    def test_a_stranger_finds_none_of_my_pages(self, design, owner):
        job = finished(owner, SUPERPOD.spec())
        stranger = Client()
        stranger.force_login(User.objects.create_user("eve"))
        for name in ("estimate-status", "estimate-bom", "estimate-diagram"):
            assert stranger.get(reverse(name, args=[design.pk, job.pk])).status_code == 404
        assert stranger.post(reverse("estimate-cancel", args=[design.pk, job.pk])).status_code == 404
        for name in ("design", "design-delete"):
            assert stranger.get(reverse(name, args=[design.pk])).status_code == 404
            assert stranger.post(reverse(name, args=[design.pk]), FORM).status_code == 404
        assert Design.objects.filter(pk=design.pk).exists()

    def test_a_form_without_its_token_is_refused(self, owner):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(owner)
        response = strict.post(reverse("edit-new"), FORM)
        assert response.status_code == 403
        assert "The form was refused" in text_of(response)

    @pytest.mark.parametrize("name", ["edit-new", "estimate-cancel"])
    def test_what_writes_or_computes_is_posted(self, page, design, name):
        arguments = [] if name == "edit-new" else [design.pk, uuid.uuid4()]
        assert page.get(reverse(name, args=arguments)).status_code == 405


class TestFirstVisit:
    def test_it_lands_on_a_sample_whose_estimate_is_asked_for(self, page, owner):
        response = page.get("/")
        first = owner.designs.get(name=SUPERPOD.name)
        assert response.url == reverse("design", args=[first.pk])
        assert owner.designs.count() == 4
        assert owner.estimate_jobs.count() == 4
        assert page.get(response.url).status_code == 200

    def test_a_second_visit_adds_nothing(self, page, owner):
        page.get("/")
        page.get("/")
        assert (owner.designs.count(), owner.estimate_jobs.count()) == (4, 4)

    def test_with_an_own_design_it_lands_on_the_list(self, page, owner):
        add_samples(owner)
        save_design(owner, parse_spec({**SUPERPOD.values, "name": "My own"}, load_catalog()))
        assert page.get("/").url == reverse("designs")

    def test_who_deleted_everything_gets_no_samples_again(self, page, owner):
        for design in add_samples(owner):
            page.post(reverse("design-delete", args=[design.pk]))
        assert page.get("/").url == reverse("designs")
        assert "No design yet" in text_of(page.get(reverse("designs")))

    def test_demo_adds_the_samples_once(self, capsys):
        call_command("demo")
        call_command("demo")
        assert [design.name for design in local_owner().designs.order_by("created_at")] == [
            sample.name for sample in SAMPLES
        ]
        assert capsys.readouterr().out.count(SUPERPOD.name) == 2


class TestList:
    def names(self, page, order):
        return re.findall(
            r'<th scope="row">.*?<a href="[^"]+">([^<]+)',
            page.get(reverse("designs"), {"sort": order}).content.decode(),
        )

    def test_a_row_has_the_figures_of_the_newest_estimate(self, page, design, owner):
        finished(owner, SUPERPOD.spec())
        words = text_of(page.get(reverse("designs")))
        assert "1,016" in words
        assert "InfiniBand NDR rail-optimized, 2-tier" in words
        assert f"{SUPERPOD.name} DGX H100 1,016" in words
        assert "$52,200 $44,900 to $60,400" in words
        assert "$53.1 M $45.6 M to $61.4 M" in words, "the whole price, half and nine in ten of the draws"

    def test_a_row_has_the_fullest_leaf_s_ratio_and_both_collectives(self, page, owner):
        split = {"scalable_unit_nodes": 32, "leaf_downlinks": 32, "leaf_uplinks": 16}
        values = {"compute": {"server": "dgx-h100", "nodes": 100}, "fabric": {"generation": "ndr", **split}}
        spec = parse_spec(values, load_catalog())
        save_design(owner, spec)
        result = finished(owner, spec).result
        words = text_of(page.get(reverse("designs"), {"sort": "-all_to_all"}))
        assert f"2:1 average {numbers.ratio_to_one(result['fabrics']['compute']['oversubscription']['built'])}" in words
        speeds = [
            numbers.gb_s(result["performance"]["all_reduce"]["busbw_gb_s"][-1][-1]),
            numbers.gb_s(result["performance"]["all_to_all"]["busbw_gb_s"]),
        ]
        assert " ".join(speeds).replace(numbers.NO_BREAK_SPACE, " ") in words

    def test_a_design_that_no_worker_has_estimated_has_its_figures(self, page, design):
        assert "48" in text_of(page.get(reverse("designs")))

    def test_a_design_that_cannot_be_built_says_so(self, page, owner):
        values = SUPERPOD.values | {"fabric": SUPERPOD.values["fabric"] | {"tiers": 1}}
        save_design(owner, parse_spec(values, load_catalog()))
        assert "cannot be built" in text_of(page.get(reverse("designs")))

    def test_columns_sort_both_ways_and_the_unknown_comes_last(self, page, owner):
        for sample in SAMPLES[:2]:
            save_design(owner, sample.spec())
        values = SAMPLES[2].values | {"fabric": SAMPLES[2].values["fabric"] | {"tiers": 1}, "name": SAMPLES[2].name}
        save_design(owner, parse_spec(values | {"compute": {"server": "dgx-b300", "nodes": 640}}, load_catalog()))
        small, large, unknown = SAMPLES[0].name, SAMPLES[1].name, SAMPLES[2].name
        assert self.names(page, "gpus") == [small, large, unknown]
        assert self.names(page, "-gpus") == [large, small, unknown]
        assert self.names(page, "name") == [large, unknown, small]
        assert self.names(page, "nonsense") == [unknown, large, small]

    def test_the_sorted_column_says_so_and_offers_the_other_way(self, page, design):
        html_text = page.get(reverse("designs"), {"sort": "gpus"}).content.decode()
        assert html_text.count('aria-sort="ascending"') == 1
        assert 'href="?sort=-gpus"' in html_text

    def test_the_number_of_queries_does_not_grow_with_designs(self, page, owner, django_assert_num_queries):
        add_samples(owner)
        page.get(reverse("designs"))  # figures are made once and kept
        with django_assert_num_queries(5):  # session, user, designs of other rules, designs, what the reader chose
            page.get(reverse("designs"))


class TestPreview:
    def test_figures_come_at_once_and_the_design_is_kept(self, page, owner):
        response = page.post(reverse("edit-new"), FORM, headers=HTMX)
        words = text_of(response)
        assert "Switches 48 32 leaf + 16 spine" in words
        assert "Oversub. 1:1 every leaf" in words
        assert len(response.content) < 13_000, "the diagram, the form and the charts come without it"
        assert response["Design-Opened"] == reverse("design", args=[owner.designs.get().pk])
        assert not owner.estimate_jobs.exists()

    def test_a_problem_names_its_field(self, page):
        html_text = page.post(
            reverse("edit-new"), {**FORM, "fabric__oversubscription": "0:1"}, headers=HTMX
        ).content.decode()
        assert 'data-problem-field="fabric__oversubscription"' in html_text
        assert 'id="summary"' not in html_text, "the last good figures stay visible"

    def test_a_fabric_that_cannot_be_built_says_what_would_work(self, page):
        response = page.post(reverse("edit-new"), {**FORM, "size": "4096", "fabric__tiers": "2"}, headers=HTMX)
        assert response.status_code == 200
        assert "cannot be built" in text_of(response)
        assert 'data-problem-field="fabric__tiers"' in response.content.decode()

    @pytest.mark.parametrize(
        "changes",
        [
            {"size": "1", "size_unit": "nodes"},
            {"size": "1", "size_unit": "gpus"},
            {"size": "0"},
            {"size": str(2**40)},
            {"fabric__leaf_switch": "custom", "fabric__leaf_radix": "3"},
            {"fabric__oversubscription": "0:1"},
            {"compute__server": "custom", "fabric__leaf_switch": "custom", "fabric__leaf_radix": "64"},
            {"size": "\x00", "name": "<script>alert(1)</script>"},
            {"fabric__layout": "rail-only"},
            {"fabric__layout": "top-of-rack", "size": "131072"},
            {"size": "131072", "fabric__generation": "roce-400", "fabric__planes": "2", "compute__server": "dgx-b300"},
        ],
    )
    def test_no_request_breaks_it(self, page, changes):
        response = page.post(reverse("edit-new"), {**FORM, **changes}, headers=HTMX)
        assert response.status_code == 200
        assert ('data-figure="gpus"' in response.content.decode()) != ("problem-list" in response.content.decode())

    def test_each_figure_says_what_the_edit_moved(self, page, design):
        words = text_of(page.post(reverse("edit", args=[design.pk]), FORM | {"step": "a"}, headers=HTMX))
        assert "GPUs 1,024 +8 since the change before 128 servers" in words
        twice = text_of(
            page.post(reverse("edit", args=[design.pk]), FORM | {"size": "2048", "step": "b"}, headers=HTMX)
        )
        assert "GPUs 2,048 +1,024 since the change before" in twice
        assert "Oversub. 1:1 every leaf" in twice, "what has not moved has no change"
        back = text_of(page.post(reverse("edit", args=[design.pk]), FORM | {"size": "1024", "step": "c"}, headers=HTMX))
        assert f"GPUs 1,024 {numbers.MINUS}1,024 since the change before" in back

    def test_the_ratio_is_the_fullest_leaf_s_with_the_average_below(self, page, design):
        split = {"fabric__scalable_unit_nodes": "32", "fabric__leaf_downlinks": "32", "fabric__leaf_uplinks": "16"}
        uneven = FORM | split | {"size": "800", "step": "a"}
        words = text_of(page.post(reverse("edit", args=[design.pk]), uneven, headers=HTMX))
        found = re.search(r"Oversub. ([\d.]+):1 .{0,60}fullest leaf, average ([\d.]+):1", words)
        assert found, words
        assert float(found[1]) > float(found[2])

    def test_the_diagram_follows_the_current_state(self, page, design):
        address = reverse("diagram", args=[design.pk])
        assert "31 servers" in text_of(page.get(address))
        assert re.search(r"leaf-spine 1,024 \+ \d+ spare \d+\sm \$\d", text_of(page.get(address))), (
            "cables with length and price"
        )
        page.post(reverse("edit", args=[design.pk]), FORM, headers=HTMX)
        before = page.get(address).content
        assert b"31 servers" not in before
        page.post(reverse("edit", args=[design.pk]), FORM | {"size": "0"}, headers=HTMX)
        assert page.get(address).content == before, "of the state that holds"

    def test_it_says_when_the_form_has_left_the_estimate_behind(self, page, design):
        digest = design.now.spec_hash
        changed = page.post(reverse("edit-new"), {**FORM, "estimated_hash": digest}, headers=HTMX)
        assert "has changed since this estimate" in text_of(changed)

    def test_a_custom_switch_without_a_price_makes_the_cost_at_least(self, page):
        typed = {**FORM, "fabric__leaf_switch": "custom", "fabric__leaf_radix": "64"}
        assert "≥ $" in text_of(page.post(reverse("edit-new"), typed, headers=HTMX))


class TestSavedDesign:
    def test_what_was_given_stays_when_the_catalog_no_longer_has_it(self, page, design):
        """A design of before a catalog change opens, with the problem beside its field."""
        given = design.given | {"compute": {"server": "dgx-gone", "nodes": 4}}
        Design.objects.filter(pk=design.pk).update(given=given, versions="of before")
        response = page.get(reverse("design", args=[design.pk]))
        assert response.status_code == 200
        assert "has no GPU server 'dgx-gone'" in text_of(response)

    def test_what_was_given_stays_beside_a_failed_estimate_too(self, page, design, owner):
        """Both at once: the estimate failed, and the catalog has changed since."""
        job, _ = request_estimate(owner, SUPERPOD.spec())
        job.fail_with("too_many_attempts", "It was tried and died.")
        EstimateJob.objects.filter(pk=job.pk).update(state=EstimateJob.State.FAILED)
        given = {"name": "Kept name", "compute": {"server": "dgx-gone", "nodes": 77}, "fabric": {"generation": "ndr"}}
        Design.objects.filter(pk=design.pk).update(given=given, versions="of before")
        response = page.get(reverse("design", args=[design.pk]))
        shown = response.content.decode()
        assert 'value="Kept name"' in shown
        assert 'value="77"' in shown
        assert "has no GPU server 'dgx-gone'" in text_of(response)

    def test_an_edited_design_follows_another_server(self, page, owner):
        page.post(reverse("design-new"), FORM)
        design = owner.designs.get()
        assert "nics_per_node" not in design.now.given["compute"]
        page.post(reverse("design", args=[design.pk]), {**FORM, "compute__server": "gb200-tray"})
        assert design.now.state_number == 2
        assert design.now.spec["compute"]["nics_per_node"] == 4


class TestStaleNote:
    @pytest.mark.parametrize("state", ["queued", "running", "failed", "cancelled", "succeeded"])
    def test_a_late_preview_finds_its_place_in_every_state(self, page, design, owner, state):
        """A preview's answer may arrive after Estimate was pressed, and writes its note out of band."""
        job = finished(owner, SUPERPOD.spec())
        EstimateJob.objects.filter(pk=job.pk).update(state=state)
        shown = page.get(status_url(design, job), headers=HTMX).content.decode()
        assert shown.count('id="stale-note"') == 1

    @pytest.mark.parametrize("name", ["edit", "undo", "redo", "state"])
    def test_every_answer_that_moves_the_state_marks_an_estimate_of_another(self, page, design, name):
        """The page says what its estimate is of: that is dimmed until one of the current state has come, and no longer."""

        def answer(estimated):
            sent = {**(FORM if name == "edit" else {}), "estimated_hash": estimated}
            address = reverse(name, args=[design.pk])
            response = page.get(address, sent) if name == "state" else page.post(address, sent, headers=HTMX)
            assert response.status_code == 200
            design.refresh_from_db()
            return text_of(response)

        page.post(reverse("edit", args=[design.pk]), FORM, headers=HTMX)
        page.post(reverse("edit", args=[design.pk]), FORM | {"size": "512"}, headers=HTMX)
        if name == "redo":
            page.post(reverse("undo", args=[design.pk]), headers=HTMX)
        design.refresh_from_db()
        before = design.spec_hash
        assert ("has changed since this estimate" in answer(before)) == (name != "state"), "the state has moved on"
        assert design.spec_hash != before or name == "state"
        assert "has changed since this estimate" in answer("of-another-state")
        assert (
            "has changed since this estimate"
            not in page.get(reverse("state", args=[design.pk]), {"estimated_hash": design.spec_hash}).content.decode()
        )


class TestNewDesign:
    def test_the_form_starts_with_a_design_that_works(self, page):
        words = text_of(page.get(reverse("design-new")))
        assert "Not saved yet" in words
        assert "Switches ? 48" in words

    def test_a_blank_says_what_it_stands_for(self, page):
        html_text = page.get(reverse("design-new")).content.decode()
        for name, shown in (
            ("economics__pue", "1.3"),
            ("economics__electricity_usd_per_kwh", "0.098"),
            ("economics__discount_rate", "0.09"),
            ("fabric__scalable_unit_nodes", "32"),
            ("fabric__leaf_uplinks", "32"),
            ("fabric__leaf_radix", "64"),
        ):
            (field,) = re.findall(rf'<input[^>]*name="{name}"[^>]*>', html_text)
            assert f'placeholder="{shown}"' in field
            assert "value=" not in field

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
    def test_a_sample_fills_the_form(self, page, sample):
        response = page.get(reverse("design-new"), {"sample": sample.key})
        assert html.escape(sample.name) in response.content.decode()
        assert response.content.decode().count("data-figure=") == 10

    def test_estimate_saves_the_design_and_goes_to_it(self, page, owner):
        response = page.post(reverse("design-new"), FORM)
        design = owner.designs.get()
        assert response.url == reverse("design", args=[design.pk])
        assert design.now.spec["compute"]["gpus"] == 1024
        assert owner.estimate_jobs.get().spec == design.now.spec

    def test_the_script_is_sent_there(self, page, owner):
        response = page.post(reverse("design-new"), FORM, headers=HTMX)
        assert response["HX-Redirect"] == reverse("design", args=[owner.designs.get().pk])

    def test_a_wrong_form_comes_back_as_typed(self, page, owner):
        response = page.post(reverse("design-new"), {**FORM, "size": "lots", "name": "Keep me"})
        assert response.status_code == 422
        assert 'value="lots"' in response.content.decode()
        assert 'value="Keep me"' in response.content.decode()
        assert 'aria-invalid="true"' in response.content.decode()
        assert not owner.designs.exists()

    def test_a_wrong_form_of_the_script_shows_its_problems_in_the_preview(self, page):
        response = page.post(reverse("design-new"), {**FORM, "size": "lots"}, headers=HTMX)
        assert response["HX-Retarget"] == "#preview-problems"
        assert 'data-problem-field="size"' in response.content.decode()


class TestDesign:
    def test_estimate_adds_a_revision_and_queues_a_job(self, page, design, owner):
        response = page.post(reverse("design", args=[design.pk]), FORM)
        assert response.url == reverse("design", args=[design.pk])
        design.refresh_from_db()
        assert (design.name, design.now.state_number) == ("Mine", 2)
        words = text_of(page.get(response.url))
        assert "Waiting for a worker" in words
        assert "Reload this page" in words

    def test_the_result_has_counts_bom_cost_charts_and_sources(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        response = page.get(reverse("design", args=[design.pk]))
        words, html_text = text_of(response), response.content.decode()
        assert "Fabric-manager links 4" in words
        assert "Leaf–spine links 1,024" in words
        assert "2,048" in words  # transceivers: 1,536 in switches, 508 in servers, 4 at the fabric managers
        assert "NVIDIA QM9700" in words
        assert "Street book: " in html_text
        assert job.spec_hash in words
        assert html_text.count("data-chart=") == 2
        for kind in ("csv", "xlsx", "json"):
            assert f'href="/api/v1/estimates/{job.pk}/bom/?format={kind}"' in html_text

    def test_the_totals_on_the_page_are_those_of_the_estimate(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        bom = job.result["bom"]
        assert f"${bom['totals_usd']['typical']:,.0f}" in text_of(page.get(reverse("design", args=[design.pk])))
        assert sum(line["extended_price_usd"]["typical"] for line in bom["lines"]) == pytest.approx(
            bom["totals_usd"]["typical"]
        )

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
    def test_every_figure_on_the_page_is_the_estimate_s(self, page, owner, sample):
        design, result = save_design(owner, sample.spec()), finished(owner, sample.spec()).result
        words = text_of(page.get(reverse("design", args=[design.pk])))
        fabric, cost, power = result["fabrics"]["compute"], result["cost"], result["power"]
        counts, modules, both = (
            fabric["counts"],
            fabric["transceivers"],
            result["performance"]["all_reduce"]["both_placements"],
        )
        sums = headlines(PricedEstimate.from_json(result))
        tiers = f"{counts['leaf']:,} leaf" + (f" + {counts['spine']:,} spine" if counts["spine"] else "")
        likely = cost["simulated"]
        if counts["core"]:
            tiers = f"{counts['leaf']:,} + {counts['spine']:,} + {counts['core']:,} in 3 tiers"
        for text in (
            f"GPUs ? {counts['gpus']:,} {counts['nodes']:,} servers",
            f"Switches ? {sums.switches:,} {tiers}",
            f"Cables ? {sums.cables:,}",
            f"Optics ? {sums.modules:,}",
            f"IT power ? {numbers.watts(power['it_w']['typical'])}",
            f"P50 price ? {numbers.usd(likely['capex_usd']['p50'])} {numbers.usd(likely['capex_usd']['p5'])}",
            f"P50 a GPU ? {numbers.usd(likely['usd_per_gpu']['p50'])} "
            f"{numbers.usd_small(likely['usd_per_gpu_hour']['p50'])} an hour",
            f"Oversub. ? {numbers.ratio_to_one(fabric['oversubscription']['worst_leaf'])}",
            f"All-to-all ? {numbers.gb_s(result['performance']['all_to_all']['busbw_gb_s'])}",
            f"All-reduce ? {numbers.gb_s(both['ordered_busbw_gb_s'])}",
            f"Transceivers {sum(modules.values()):,} {modules['switch']:,} in switches, {modules['node']:,} in servers",
            f"Leaf–spine links {fabric['links']['leaf_spine']:,} {fabric['cables']['leaf_spine']:,} cables",
            f"Injection {numbers.gbit_s(fabric['injection_gbit_s'])}",
            f"Bisection {numbers.gbit_s(fabric['bisection_gbit_s'])}",
            *(
                f"{name} {numbers.usd(amount['low'])} {numbers.usd(amount['typical'])} {numbers.usd(amount['high'])}"
                for name, amount in (
                    ("Network", cost["capex_usd"]["network"]),
                    ("Servers", cost["capex_usd"]["servers"]),
                    ("Purchase price", cost["capex_usd"]["total"]),
                    ("Running cost a year with electricity", cost["opex_usd_per_year"]["total"]),
                    ("Purchase price per GPU", cost["usd_per_gpu"]),
                    ("Network per GPU", cost["network_usd_per_gpu"]),
                    ("for hours in use", cost["usd_per_gpu_hour"]),
                    ("less the value left", cost["tco_usd"]),
                )
            ),
            f"Network share of price {numbers.percent(cost['network_share'])}",
            f"Network and servers {numbers.watts(power['it_w']['typical'])} {numbers.watts(power['it_w']['max'])}",
            f"{counts['gpus']:,} GPUs {numbers.gb_s(both['ordered_busbw_gb_s'])} bus bandwidth",
        ):
            assert text.replace(numbers.NO_BREAK_SPACE, " ") in words, text

    def test_what_scattering_costs_is_said_in_words(self, page, owner):
        values = {
            "compute": {"server": "dgx-h100", "gpus": 1024},
            "fabric": {"generation": "ndr", "oversubscription": "4:1", "scalable_unit_nodes": 51},
        }
        spec = parse_spec(values, load_catalog())
        design, both = (
            save_design(owner, spec),
            finished(owner, spec).result["performance"]["all_reduce"]["both_placements"],
        )
        words = text_of(page.get(reverse("design", args=[design.pk])))
        loss = 1 - both["random_busbw_gb_s"] / both["ordered_busbw_gb_s"]
        assert loss > 0.3
        assert f"Scattering costs {numbers.rounded(loss * 100)} % of the" in words
        assert "3.28:1 down to up over all leaves, exactly 128:39; fullest leaf 3.92:1; 4:1 was requested" in words

    def test_figures_are_the_present_model_s_though_the_estimate_is_an_older_one_s(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        job.result["fabrics"]["compute"]["counts"]["switches"] = 4711
        job.save()
        address = reverse("design", args=[design.pk])
        assert "Switches ? 4,711" in text_of(page.get(address)), "not computed twice"
        job.model_version = "0.9"
        job.save()
        assert "Switches ? 48" in text_of(page.get(address))

    def test_one_gpu_is_a_page_too(self, page, owner):
        compute = {
            "server": "custom",
            "gpu": "h100-sxm",
            "nodes": 1,
            "gpus_per_node": 1,
            "nics_per_node": 1,
            "nic_ports_per_node": 1,
        }
        spec = parse_spec({"compute": compute, "fabric": {"generation": "ndr"}}, load_catalog())
        design, _ = save_design(owner, spec), finished(owner, spec)
        words = text_of(page.get(reverse("design", args=[design.pk])))
        assert words.count("ne GPU has nothing to exchange") == 2, "in the key figures and under the heading"

    def test_servers_without_a_price_make_every_sum_at_least(self, page, owner):
        values = {
            "compute": {
                "server": "custom",
                "nodes": 100,
                "gpus_per_node": 8,
                "nics_per_node": 8,
                "nic_ports_per_node": 8,
            },
            "fabric": {"generation": "ndr"},
        }
        spec = parse_spec(values, load_catalog())
        design, result = save_design(owner, spec), finished(owner, spec).result
        words = text_of(page.get(reverse("design", args=[design.pk])))
        assert "Servers no price" in words
        assert (
            f"Purchase price ≥ {numbers.usd(result['cost']['capex_usd']['total']['low'])}".replace(
                "\N{NO-BREAK SPACE}", " "
            )
            in words
        )
        assert "means at least" in words
        assert "≥ –" not in words
        assert "servers have no price" in words

    def test_no_page_has_an_inline_script_or_style(self, page, design, owner):
        finished(owner, SUPERPOD.spec())
        for address in (
            reverse("design", args=[design.pk]),
            reverse("designs"),
            reverse("design-new"),
            reverse("sign-in"),
        ):
            html_text = page.get(address).content.decode()
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html_text)
            inline = re.findall(r"<script(?![^>]*\bsrc=)([^>]*)>", html_text)
            assert all('type="application/json"' in attributes for attributes in inline)

    def test_a_name_is_text_everywhere(self, page, owner):
        name = '"><script>alert(1)</script>'
        design = save_design(owner, parse_spec({**SUPERPOD.values, "name": name}, load_catalog()))
        finished(owner, parse_spec({**SUPERPOD.values, "name": name}, load_catalog()))
        for address in (
            reverse("design", args=[design.pk]),
            reverse("designs"),
            reverse("design-delete", args=[design.pk]),
        ):
            assert "<script>alert" not in page.get(address).content.decode()

    def test_a_refused_job_shows_its_problems_beside_the_fields(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        problem = {"field": "fabric.oversubscription", "code": "two_tier_too_small", "message": "Too small for that."}
        EstimateJob.objects.filter(pk=job.pk).update(
            state="failed", error={"code": "infeasible_design", "problems": [problem]}
        )
        html_text = page.get(reverse("design", args=[design.pk])).content.decode()
        note = re.search(r'data-error-of="fabric__oversubscription">([^<]+)', html_text)
        assert note
        assert "Too small for that." in note[1]
        assert "The estimate could not be made" in html_text

    def test_an_unexpected_failure_shows_its_reference(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        tasks.EstimateJob.claim(job.pk).fail_with("unexpected", "An error of ours.")
        words = text_of(page.get(status_url(design, job)))
        assert "An error of ours." in words
        assert str(job.pk) in words

    def test_too_many_jobs_are_a_problem_not_a_crash(self, page, settings, owner):
        settings.ACTIVE_JOBS_PER_USER = 1
        request_estimate(owner, SUPERPOD.spec())
        response = page.post(reverse("design-new"), FORM)
        assert response.status_code == 422
        assert "a user may have 1" in text_of(response)
        assert not owner.designs.exists()

    def test_what_cannot_be_built_is_neither_saved_nor_queued(self, page, owner):
        typed = {**FORM, "size": "4096", "fabric__tiers": "2", "fabric__leaf_switch": "nvidia-qm9700"}
        response = page.post(reverse("design-new"), typed)
        assert response.status_code == 422
        assert "What would work" in text_of(response)
        assert not owner.designs.exists()
        assert not owner.estimate_jobs.exists()

    def test_delete_asks_first(self, page, design):
        address = reverse("design-delete", args=[design.pk])
        assert "cannot be undone" in text_of(page.get(address))
        assert Design.objects.filter(pk=design.pk).exists()
        response = page.post(address, follow=True)
        assert "was deleted" in text_of(response)
        assert not Design.objects.filter(pk=design.pk).exists()


class TestJob:
    def test_polls_are_fast_at_first_then_once_a_second(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        assert 'hx-trigger="load delay:200ms"' in page.get(status_url(design, job)).content.decode()
        EstimateJob.objects.filter(pk=job.pk).update(created_at="2026-01-01T00:00Z")
        response = page.get(status_url(design, job))
        assert response.status_code == 200
        assert 'hx-trigger="every 1s"' in response.content.decode()

    def test_progress_is_shown(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        assert EstimateJob.claim(job.pk).extend_lease(0.4)
        response = page.get(status_url(design, job))
        assert 'value="0.400"' in response.content.decode()
        assert "Running, 40 % done" in text_of(response).replace("\N{NO-BREAK SPACE}", " ")

    def test_the_last_answer_stops_the_polling(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        response = page.get(status_url(design, job))
        assert response.status_code == 286
        assert "Bill of materials" in text_of(response)
        assert 'hx-trigger="load' not in response.content.decode()

    def test_cancel_stops_the_job(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        address = reverse("estimate-cancel", args=[design.pk, job.pk])
        assert "Cancelled" in text_of(page.post(address, headers=HTMX))
        assert page.post(address).url == reverse("design", args=[design.pk])
        job.refresh_from_db()
        assert job.state == EstimateJob.State.CANCELLED


class TestBom:
    def column(self, page, design, job, order=""):
        html_text = page.get(reverse("estimate-bom", args=[design.pk, job.pk]), {"sort": order}).content.decode()
        return [int(number) for number in re.findall(r'data-label="Line">(\d+)</td>', html_text)]

    def test_categories_add_up_to_the_total_and_the_price_book_is_named(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        bom = job.result["bom"]
        words = text_of(page.get(reverse("estimate-bom", args=[design.pk, job.pk])))
        assert "Price book: street prices, from what was seen in the market." in words
        for name, category in (
            ("Servers", "server"),
            ("Switches", "switch"),
            ("Transceivers", "transceiver"),
            ("Fibres", "fiber"),
        ):
            amount = bom["totals_by_category"][category]["typical"]
            assert re.search(rf"{name} \d+ lines? \${amount:,.0f} ", words), name
        totals = category_totals(BomWithLines.from_json(bom))
        assert sum(part.amount.typical for part in totals if part.amount) == bom["totals_usd"]["typical"]
        assert sum(part.share or 0.0 for part in totals) == pytest.approx(1)

    def test_it_sorts_by_query_string_both_ways(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        lines = job.result["bom"]["lines"]
        cost = {line["line"]: line["extended_price_usd"]["typical"] for line in lines}
        assert self.column(page, design, job) == sorted(cost)
        assert [cost[n] for n in self.column(page, design, job, "extended")] == sorted(cost.values())
        assert [cost[n] for n in self.column(page, design, job, "-extended")] == sorted(cost.values(), reverse=True)
        assert self.column(page, design, job, "-nonsense") == sorted(cost)

    def test_the_sorted_column_says_so(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        html_text = page.get(reverse("estimate-bom", args=[design.pk, job.pk]), {"sort": "-quantity"}).content.decode()
        assert html_text.count('aria-sort="descending"') == 1
        assert "?sort=quantity" in html_text

    def test_without_scripts_the_page_itself_is_sorted(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        whole = page.get(reverse("design", args=[design.pk]), {"sort": "-quantity"}).content.decode()
        assert 'aria-sort="descending"' in whole
        assert f'href="{reverse("design", args=[design.pk])}?sort=quantity#bom"' in whole
        assert job.result

    def test_a_line_without_a_price_says_so(self, page, owner):
        values = {
            "name": "Custom",
            "compute": {"server": "custom", "nodes": 16},
            "fabric": {"generation": "ndr", "leaf_switch": "custom", "leaf_radix": 64},
        }
        spec = parse_spec(values, load_catalog())
        design = save_design(owner, spec)
        finished(owner, spec)
        words = text_of(page.get(reverse("design", args=[design.pk])))
        assert "no price" in words
        assert "Total, at least" in words


class TestDiagram:
    def test_it_is_a_file_that_stands_alone(self, page, design, owner):
        job = finished(owner, SUPERPOD.spec())
        response = page.get(reverse("estimate-diagram", args=[design.pk, job.pk]))
        assert response["Content-Type"] == "image/svg+xml"
        assert "attachment" in response["Content-Disposition"]
        assert "var(--" not in response.content.decode()

    def test_there_is_none_before_the_estimate(self, page, design, owner):
        job, _ = request_estimate(owner, SUPERPOD.spec())
        assert page.get(reverse("estimate-diagram", args=[design.pk, job.pk])).status_code == 404


class TestErrorPages:
    def test_the_icon_is_found_where_no_page_names_it(self, client):
        response = client.get("/favicon.ico")
        assert (response.status_code, response.url.endswith(".svg")) == (302, True)

    def test_an_unknown_address(self, page):
        response = page.get("/no/such/page/")
        assert response.status_code == 404
        assert "There is no such page" in text_of(response)

    def test_a_crash_shows_a_page_and_no_traceback(self, page, monkeypatch):
        monkeypatch.setattr("designer.pages.design.views.listed", lambda owner, shelf: 1 / 0)
        page.raise_request_exception = False
        response = page.get(reverse("designs"))
        assert response.status_code == 500
        assert "Something broke on our side" in text_of(response)
        assert "ZeroDivisionError" not in response.content.decode()

    def test_a_broken_catalog_is_named_with_its_place(self, page, monkeypatch):
        def broken(folder=None):
            raise CatalogError("prices.csv", 4, "typical_cents", "-2700000 is below 0")

        monkeypatch.setattr("designer.services.designs.listing.load_catalog", broken)
        Design.objects.all().delete()
        save_design(local_owner(), parse_spec(SAMPLES[0].values, load_catalog()))
        response = page.get(reverse("designs"))
        assert response.status_code == 503
        assert "prices.csv, row 4, column typical_cents: -2700000 is below 0" in text_of(response)

    def test_a_body_that_is_too_big(self, page):
        response = page.post(reverse("edit-new"), {**FORM, "name": "x" * 3_000_000})
        assert response.status_code == 413
        assert "That was too big" in text_of(response)

    def test_a_used_link_says_how_to_get_another(self, client):
        response = client.get(reverse("sign-in-by-link", args=["no-such-secret"]))
        assert response.status_code == 403
        words = text_of(response)
        assert "This link was used or is too old" in words
        assert "python3 manage.py up" in words

    def test_the_footer_names_the_versions_and_the_api(self, page):
        response = page.get(reverse("designs"))
        assert load_catalog().version[:12] in text_of(response)
        assert 'href="/api/docs/"' in response.content.decode()
