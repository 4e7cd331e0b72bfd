"""Shared links: what they open, what they do not, and that a secret opens nothing once it is withdrawn."""

import html
import io
import logging
import logging.config
import re
import uuid

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Design, PriceBook, ShareLink, hash_secret
from designer.pages.design.share import MOST_WRONG
from designer.runtime.log_secrets import HideSecrets
from designer.services.access import SHARED
from designer.services.designs.edits import typed_now
from designer.services.designs.samples import SAMPLES
from designer.services.designs.saving import save_design
from designer.services.sharing import MOST_LINKS, issue, withdraw
from designer.wording.numbers import computed
from estimator.catalog.loader import load_catalog
from estimator.jobs.models import EstimateJob
from estimator.spec.parse import parse_spec
from tests.designer.finished_design import finished

pytestmark = pytest.mark.django_db

SMALL = {"name": "Shared hall", "compute": {"server": "dgx-h100", "gpus": 64}, "fabric": {"generation": "ndr"}}
OTHER = {"name": "Closed hall", "compute": {"server": "dgx-h100", "gpus": 128}, "fabric": {"generation": "ndr"}}
POSTS = (
    "edit",
    "undo",
    "redo",
    "settle",
    "design",
    "floor-plan",
    "variant",
    "baselines",
    "baselines-compare",
    "share",
    "spec",
    "comparison-families",
    "design-delete",
)
STUDIO = {"Studio": "1"}


@pytest.fixture
def design(owner: User, sent: list[str]) -> Design:
    return finished(owner, SMALL)[0]


@pytest.fixture
def job(design: Design) -> EstimateJob:
    return EstimateJob.objects.get(spec_hash=design.now.spec_hash)


def visitor(design: Design, mode: str = "read") -> tuple[Client, ShareLink, str]:
    link, secret = issue(design, mode)
    client = Client()
    answer = client.get(reverse("shared", args=[secret]))
    assert answer.status_code == 302
    assert answer["Location"] == reverse("design", args=[design.pk])
    return client, link, secret


def fields(client: Client, design: Design) -> dict[str, str]:
    """What the form of the page says, as a browser would send it."""
    form = client.get(reverse("design", args=[design.pk])).context["form"]
    return dict(form.data) if form.is_bound else form.typed()


class TestReading:
    def test_a_link_shows_the_design_without_a_sign_in(self, design, job):
        client, _, _ = visitor(design)
        page = client.get(reverse("design", args=[design.pk]))
        words = page.content.decode()
        assert page.status_code == 200
        assert "Shared hall" in words
        assert "Bill of materials" in words
        assert "read only" in words
        assert page["X-Robots-Tag"] == "noindex, nofollow"
        assert "no-store" in page["Cache-Control"]

    def test_who_may_only_look_is_shown_so(self, design):
        client, _, _ = visitor(design)
        answer = client.post(reverse("undo", args=[design.pk]))
        assert answer.status_code == 403
        assert "Ask its owner for a link that may edit" in answer.content.decode()

    def test_the_page_has_nothing_to_change_the_design_with(self, design):
        client, _, _ = visitor(design)
        words = client.get(reverse("design", args=[design.pk])).content.decode()
        assert '<fieldset class="form-lock" disabled>' in words
        for name in ("edit", "undo", "redo", "settle", "share", "variant", "baselines", "design-delete", "revisions"):
            assert reverse(name, args=[design.pk]) not in words, name
        assert "entry/design_watched.js" in words, "without the script that sends edits"
        assert 'type="submit" class="button primary"' not in words

    @pytest.mark.parametrize(
        "tab",
        [
            "overview",
            "fabric",
            "cost",
            "performance",
            "workloads",
            "cabling",
            "racks",
            "bringup",
            "findings",
            "handoff",
        ],
    )
    def test_every_tab_opens_and_leads_to_nothing_that_asks_for_a_sign_in(self, design, job, tab):
        client, _, _ = visitor(design)
        page = client.get(reverse("design", args=[design.pk]), {"tab": tab})
        assert page.status_code == 200
        main = page.content.decode().split("<main")[1].split("</main>")[0]
        assert "/api/" not in main
        for name in ("comparisons", "quotes", "calibrations", "price-books", "advice"):
            assert f'href="{reverse(name)}' not in main, name
        addresses = {one.partition("#")[0] for one in re.findall(r'href="(/[^"?]+)"', main)}
        of_reading = [one for one in addresses if one.startswith(("/docs/", "/help/", "/glossary/", "/validation/"))]
        assert [one for one in of_reading if client.get(one).status_code != 200] == []
        assert client.get(reverse("estimate-tab", args=[design.pk, job.pk]), {"tab": tab}).status_code == 200

    @pytest.mark.parametrize("name", ["estimate-status", "estimate-bom", "estimate-diagram", "estimate-fabric-view"])
    def test_parts_of_the_page_open_too(self, design, job, name):
        client, _, _ = visitor(design)
        assert client.get(reverse(name, args=[design.pk, job.pk])).status_code in (200, 286)
        assert Client().get(reverse(name, args=[design.pk, job.pk])).status_code == 302

    @pytest.mark.parametrize(
        ("kind", "form", "start"), [("bom", "csv", b"\xef\xbb\xbf"), ("bom", "xlsx", b"PK"), ("cost", "pdf", b"%PDF")]
    )
    def test_files_of_the_bill_and_the_cost_can_be_taken_along(self, design, job, kind, form, start):
        client, _, _ = visitor(design)
        answer = client.get(reverse("shared-file", args=[design.pk, job.pk, kind, form]))
        assert answer.status_code == 200
        assert answer.content.startswith(start) or form == "csv"
        assert client.get(reverse("shared-file", args=[design.pk, job.pk, kind, "exe"])).status_code == 404

    def test_files_of_the_workloads_tab_can_be_taken_along(self, design, job):
        client, _, _ = visitor(design)
        query = {"tab": "workloads", "train_model": "llama3-8b", "serve_model": "llama3-8b"}
        page = client.get(reverse("design", args=[design.pk]), query).content.decode()
        offered = {html.unescape(one) for one in re.findall(r'href="([^"]+/files/workloads/[^"]+)"', page)}
        assert len(offered) == 4 + 1 + 1  # a CSV a table
        shown = re.findall(r'data-label="Step, s">([\d.,]+)<', page)
        for address in offered:
            answer = client.get(address)
            assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex, nofollow")
            if "/json/" in address:
                found = answer.json()["training"]["searched"]["layouts"]
                assert [computed(one["step_s"]) for one in found] == shown
        address = reverse("shared-workloads", args=[design.pk, job.pk, "csv"])
        assert client.get(address, {"batch": "none"}).status_code == 404
        assert client.get(reverse("shared-workloads", args=[design.pk, job.pk, "exe"])).status_code == 404
        assert Client().get(address).status_code == 302

    def test_the_spec_can_be_copied(self, design):
        client, _, _ = visitor(design)
        answer = client.get(reverse("spec", args=[design.pk]), {"format": "json"})
        assert answer.json()["compute"]["gpus"] == 64

    @pytest.mark.parametrize("name", POSTS)
    def test_a_read_link_posts_nothing(self, design, name):
        client, _, _ = visitor(design)
        before = Design.objects.values().get(pk=design.pk)
        form = {"name": "Mine", "compute__server": "dgx-h100", "size": "8", "step": "x", "base": "1", "spec": "{}"}
        answer = client.post(reverse(name, args=[design.pk]), form, headers=STUDIO)
        assert answer.status_code in (302, 403)
        assert answer.status_code == 403 or "sign-in" in answer["Location"]
        assert Design.objects.values().get(pk=design.pk) == before
        assert not design.revisions.exists()
        assert not design.edits.exists()
        assert ShareLink.objects.count() == 1

    @pytest.mark.parametrize("name", ["design-apply", "cost-apply", "estimate-cancel", "links-compare"])
    def test_nor_anything_of_an_estimate(self, design, job, name):
        client, _, _ = visitor(design)
        answer = client.post(reverse(name, args=[design.pk, job.pk]), {"finding": "1", "years": "5"})
        assert answer.status_code in (302, 403)
        assert answer.status_code == 403 or "sign-in" in answer["Location"]
        assert client.post(reverse("revision-restore", args=[design.pk, 1])).status_code == 403
        assert not design.revisions.exists()

    def test_sliders_may_be_moved_as_they_store_nothing(self, design, job):
        client, _, _ = visitor(design)
        answer = client.post(reverse("cost-what-if", args=[design.pk, job.pk]), {"years": "5"})
        assert answer.status_code == 200
        assert reverse("cost-apply", args=[design.pk, job.pk]) not in answer.content.decode()

    def test_a_signed_in_visitor_has_no_more_than_the_link_says(self, design):
        client, _, _ = visitor(design)
        client.force_login(User.objects.create_user("eve"))
        client.get(reverse("shared", args=[issue(design, "read")[1]]))
        assert client.get(reverse("design", args=[design.pk])).status_code == 200
        assert client.post(reverse("edit", args=[design.pk]), {"name": "x"}).status_code == 403
        for name in ("design-delete", "share", "variant", "baselines"):
            assert client.post(reverse(name, args=[design.pk])).status_code == 403, name
        assert client.get(f"/api/v1/designs/{design.pk}/").status_code == 404


class TestEditing:
    def test_an_edit_link_edits_takes_back_and_saves(self, design, owner):
        client, _, _ = visitor(design, "edit")
        form = fields(client, design) | {"size": "72", "step": "size.1"}
        assert client.post(reverse("edit", args=[design.pk]), form | {"base": "1"}, headers=STUDIO).status_code == 200
        design.refresh_from_db()
        assert typed_now(design)["size"] == "72"
        assert client.post(reverse("undo", args=[design.pk]), headers=STUDIO).status_code == 200
        design.refresh_from_db()
        assert typed_now(design)["size"] == "64"
        assert client.post(reverse("design", args=[design.pk]), form).status_code == 302
        design.refresh_from_db()
        assert design.owner == owner
        assert design.now.given["compute"]["gpus"] == 72
        assert EstimateJob.objects.filter(spec_hash=design.now.spec_hash, owner=owner).exists()

    def test_the_estimate_follows_and_a_visitor_may_see_it(self, design):
        client, _, _ = visitor(design, "edit")
        form = fields(client, design) | {"size": "72", "step": "size.1", "base": "1"}
        client.post(reverse("edit", args=[design.pk]), form, headers=STUDIO)
        assert client.post(reverse("settle", args=[design.pk])).status_code == 200
        job = EstimateJob.objects.get(spec_hash=design.now.spec_hash)
        assert client.get(reverse("estimate-status", args=[design.pk, job.pk])).status_code == 200
        form["size"], form["step"], form["base"] = "80", "size.2", "2"
        client.post(reverse("edit", args=[design.pk]), form, headers=STUDIO)
        assert client.get(reverse("estimate-status", args=[design.pk, job.pk])).status_code == 200, "of a state before"

    @pytest.mark.parametrize(
        "name", ["design-delete", "share", "variant", "baselines", "baselines-compare", "comparison-families"]
    )
    def test_an_edit_link_owns_nothing(self, design, name):
        client, _, _ = visitor(design, "edit")
        answer = client.post(reverse(name, args=[design.pk]))
        assert answer.status_code in (302, 403)
        assert answer.status_code == 403 or "sign-in" in answer["Location"]
        assert Design.objects.count() == 1
        assert ShareLink.objects.count() == 1

    def test_the_owners_price_books_stay_closed(self, design, owner):
        book = PriceBook.objects.create(owner=owner, name="Vendor Secret")
        book.revisions.create(number=1, prices=[], rates=[], reason="made")
        client, _, _ = visitor(design, "edit")
        page = client.get(reverse("design", args=[design.pk]))
        assert "Vendor Secret" not in page.content.decode()
        assert str(book.pk) not in page.content.decode()
        form = fields(client, design) | {"economics__price_book": f"own:{book.pk}", "step": "book.1", "base": "1"}
        answer = client.post(reverse("edit", args=[design.pk]), form, headers=STUDIO).content.decode()
        assert "not there any more" in answer
        assert "Vendor Secret" not in answer
        assert "Vendor Secret" not in client.get(reverse("design", args=[design.pk])).content.decode()

    def test_a_pasted_spec_is_an_edit_of_the_visitor(self, design):
        client, _, _ = visitor(design, "edit")
        text = '{"compute": {"server": "dgx-h100", "gpus": 256}, "fabric": {"generation": "ndr"}}'
        assert client.post(reverse("spec", args=[design.pk]), {"spec": text}, headers=STUDIO).status_code == 200
        design.refresh_from_db()
        assert typed_now(design)["size"] == "256"


class TestCopying:
    @pytest.mark.parametrize("mode", ["read", "edit"])
    def test_a_guest_signs_in_on_the_way_and_has_a_copy(self, design, owner, mode):
        client, link, _ = visitor(design, mode)
        address = reverse("design-copy", args=[design.pk])
        assert address in client.get(reverse("design", args=[design.pk])).text
        asked = client.get(address)
        assert asked.status_code == 200
        assert f"{reverse('sign-in')}?next={address}" in html.unescape(asked.text)
        assert "sign-in" in client.post(address)["Location"]
        assert '<details class="password-sign-in" open>' in client.get(reverse("sign-in"), {"next": address}).text
        assert '<details class="password-sign-in">' in client.get(reverse("sign-in"), {"next": "/designs/"}).text
        assert Design.objects.count() == 1
        User.objects.create_user("eve", password="a long word 7")
        signed = client.post(reverse("sign-in"), {"username": "eve", "password": "a long word 7", "next": address})
        assert signed["Location"] == address
        assert "Copy to my designs" in client.get(address).text
        made = Design.objects.get(owner__username="eve", pk=client.post(address)["Location"].split("/")[-2])
        assert made.given == design.now.given
        assert (made.name, made.parent) == ("Shared hall", None)
        withdraw(design, link.pk)
        page = client.get(reverse("design", args=[made.pk]))
        assert page.status_code == 200
        assert "read only" not in page.text
        assert "This is your copy of" in page.text

    def test_a_second_copy_has_a_name_of_its_own_and_a_stranger_has_none(self, design):
        client, _, _ = visitor(design)
        eve = User.objects.create_user("eve")
        client.force_login(eve)
        client.get(reverse("shared", args=[issue(design, "read")[1]]))
        address = reverse("design-copy", args=[design.pk])
        assert f'action="{address}"' in client.get(reverse("design", args=[design.pk])).text
        for _ in range(3):
            assert client.post(address).status_code == 302
        assert set(eve.designs.values_list("name", flat=True)) == {"Shared hall", "Shared hall (2)", "Shared hall (3)"}
        assert not design.edits.exists()
        stranger = Client()
        assert "sign-in" in stranger.post(address)["Location"]
        stranger.force_login(User.objects.create_user("mallory"))
        assert stranger.post(address).status_code == 404
        assert stranger.get(address).status_code == 404

    def test_a_withdrawn_link_copies_nothing(self, design):
        client, link, _ = visitor(design)
        withdraw(design, link.pk)
        address = reverse("design-copy", args=[design.pk])
        assert client.get(address).status_code == 404
        assert client.post(address).status_code == 404
        assert Design.objects.count() == 1


class TestOtherDesigns:
    def test_another_design_and_its_estimates_stay_closed(self, design, owner):
        other, other_job = finished(owner, OTHER)
        client, _, _ = visitor(design, "edit")
        assert client.get(reverse("design", args=[other.pk])).status_code == 302
        assert client.post(reverse("edit", args=[other.pk]), {"name": "x"}).status_code == 302
        for name in ("estimate-status", "estimate-bom", "estimate-tab", "estimate-diagram", "estimate-fabric-view"):
            assert client.get(reverse(name, args=[design.pk, other_job.pk])).status_code == 404, name
            assert client.get(reverse(name, args=[other.pk, other_job.pk])).status_code == 302, name
        assert client.get(reverse("shared-file", args=[design.pk, other_job.pk, "bom", "csv"])).status_code == 404
        assert client.post(reverse("cost-what-if", args=[design.pk, other_job.pk])).status_code == 404
        assert other.edits.count() == 0

    def test_no_tab_tells_of_other_designs_or_calibrations(self, design, owner):
        other, _ = finished(owner, OTHER)
        client, _, _ = visitor(design)
        query = {"tab": "performance", "with": str(other.pk)}
        words = client.get(reverse("design", args=[design.pk]), query).content.decode()
        assert "by GPU count" in words
        assert "Closed hall" not in words
        assert str(other.pk) not in words

    def test_a_variant_does_not_tell_a_visitor_of_its_origin(self, design, owner):
        origin = save_design(owner, parse_spec(OTHER, load_catalog()))
        Design.objects.filter(pk=design.pk).update(parent=origin)
        client, _, _ = visitor(design)
        assert "Closed hall" not in client.get(reverse("design", args=[design.pk])).content.decode()

    def test_lists_and_new_designs_ask_for_a_sign_in(self, design):
        client, _, _ = visitor(design, "edit")
        for name in ("designs", "design-new", "comparisons", "quotes", "price-books", "calibrations"):
            assert "sign-in" in client.get(reverse(name))["Location"], name
        assert client.get(f"/api/v1/designs/{design.pk}/").status_code == 401


class TestWithdrawing:
    @pytest.mark.parametrize("mode", ["read", "edit"])
    def test_a_withdrawn_link_stops_at_once(self, design, job, mode):
        client, link, secret = visitor(design, mode)
        assert withdraw(design, link.pk)
        page = client.get(reverse("design", args=[design.pk]))
        assert page.status_code == 404
        assert "This link opens nothing" in page.content.decode()
        assert client.post(reverse("edit", args=[design.pk]), {"name": "x"}, headers=STUDIO).status_code == 404
        assert client.get(reverse("estimate-bom", args=[design.pk, job.pk])).status_code == 404
        assert client.get(reverse("shared", args=[secret])).status_code == 404
        assert not design.edits.exists()

    def test_the_stronger_of_two_links_counts_and_the_weaker_stays(self, design):
        client, edit_link, _ = visitor(design, "edit")
        client.get(reverse("shared", args=[issue(design, "read")[1]]))
        assert client.post(reverse("undo", args=[design.pk])).status_code == 302
        withdraw(design, edit_link.pk)
        assert client.get(reverse("design", args=[design.pk])).status_code == 200
        assert client.post(reverse("undo", args=[design.pk])).status_code == 403

    def test_links_of_a_barred_owner_open_nothing(self, design):
        client, _, secret = visitor(design)
        User.objects.update(is_active=False)
        assert client.get(reverse("design", args=[design.pk])).status_code == 404
        assert client.get(reverse("shared", args=[secret])).status_code == 404

    def test_a_made_up_link_in_a_session_opens_nothing(self, design, owner):
        other = save_design(owner, parse_spec(OTHER, load_catalog()))
        link, _ = issue(other, "edit")
        client, _, _ = visitor(design)
        session = client.session
        session[SHARED] = {str(design.pk): [link.pk]}
        session.save()
        assert client.get(reverse("design", args=[design.pk])).status_code == 404, "a link opens its own design alone"


class TestOwnersPanel:
    @pytest.fixture
    def page(self, owner):
        client = Client()
        client.force_login(owner)
        return client

    def test_the_address_is_shown_once_and_only_its_hash_is_kept(self, page, design):
        made = page.post(reverse("share", args=[design.pk]), {"mode": "edit"})
        address = made.context["address"]
        secret = address.rstrip("/").rsplit("/", 1)[1]
        assert address in made.content.decode()
        assert "no-store" in made["Cache-Control"]
        link = ShareLink.objects.get()
        assert (link.mode, link.secret_hash) == ("edit", hash_secret(secret))
        for name in ("share", "design"):
            assert secret not in page.get(reverse(name, args=[design.pk])).content.decode()
        assert Client().get(reverse("shared", args=[secret])).status_code == 302

    def test_a_link_is_withdrawn_from_the_list(self, page, design):
        link, _ = issue(design, "read")
        assert "Withdraw" in page.get(reverse("share", args=[design.pk])).content.decode()
        page.post(reverse("share-withdraw", args=[design.pk, link.pk]))
        link.refresh_from_db()
        assert link.revoked_at is not None
        assert page.post(reverse("share-withdraw", args=[design.pk, link.pk])).status_code == 404

    def test_nobody_else_lists_makes_or_withdraws_links(self, design):
        link, _ = issue(design, "read")
        stranger = Client()
        stranger.force_login(User.objects.create_user("eve"))
        assert stranger.get(reverse("share", args=[design.pk])).status_code == 404
        assert stranger.post(reverse("share", args=[design.pk])).status_code == 404
        assert stranger.post(reverse("share-withdraw", args=[design.pk, link.pk])).status_code == 404
        assert ShareLink.objects.filter(revoked_at=None).count() == 1

    def test_there_is_a_limit_to_live_links(self, page, design):
        for _ in range(MOST_LINKS):
            issue(design, "read")
        answer = page.post(reverse("share", args=[design.pk]), {"mode": "read"})
        assert answer.status_code == 422
        assert f"{MOST_LINKS} links" in answer.content.decode()


class TestSecrets:
    def test_the_secret_is_in_no_page_and_goes_with_no_referrer(self, design, job):
        link, secret = issue(design, "edit")
        client = Client()
        opened = client.get(reverse("shared", args=[secret]))
        assert opened["Referrer-Policy"] == "no-referrer"
        assert "no-store" in opened["Cache-Control"]
        assert opened["X-Robots-Tag"] == "noindex, nofollow"
        assert secret not in opened["Location"]
        page = client.get(opened["Location"])
        assert secret not in page.content.decode()
        assert link.secret_hash not in page.content.decode()
        assert page["Referrer-Policy"] == "same-origin"
        assert secret not in str(dict(client.session))

    def test_no_log_has_the_secret(self, design, monkeypatch):
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        wanted = settings.LOGGING["handlers"]["console"]["filters"]
        assert wanted == ["secrets"], "what is tested here is what the handler has"
        handler.addFilter(HideSecrets())
        logging.getLogger("django").addHandler(handler)
        try:
            link, secret = issue(design, "read")
            withdraw(design, link.pk)
            assert Client().get(reverse("shared", args=[secret])).status_code == 404
            assert Client().post(reverse("shared", args=[secret])).status_code == 405
        finally:
            logging.getLogger("django").removeHandler(handler)
        assert "/shared/…/" in stream.getvalue()
        assert secret not in stream.getvalue()

    def test_guessing_is_slowed_down_by_address(self, design):
        _, secret = issue(design, "read")
        client = Client()
        for _ in range(MOST_WRONG):
            assert client.get(reverse("shared", args=[uuid.uuid4().hex])).status_code == 404
        assert client.get(reverse("shared", args=[uuid.uuid4().hex])).status_code == 429
        assert client.get(reverse("shared", args=[secret])).status_code == 429, "and nothing is told of a right one"
        elsewhere = Client(REMOTE_ADDR="203.0.113.9")
        assert elsewhere.get(reverse("shared", args=[secret])).status_code == 302

    @pytest.mark.parametrize("secret", ["x" * 5_000, "%00", "é", "..", "' or 1=1"])
    def test_nonsense_is_refused_as_a_link_that_opens_nothing(self, secret):
        assert Client().get(f"/shared/{secret}/").status_code == 404

    def test_opening_a_link_gives_the_session_another_key(self, design):
        client = Client()
        session = client.session
        session["known"] = 1
        session.save()
        before = session.session_key
        client.get(reverse("shared", args=[issue(design, "read")[1]]))
        assert client.session.session_key != before


def test_samples_are_as_closed_as_any_design(owner: User) -> None:
    design = save_design(owner, SAMPLES[0].spec())
    assert "sign-in" in Client().get(reverse("design", args=[design.pk]))["Location"]
