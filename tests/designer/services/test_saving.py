"""The writes of the web app."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from designer.models import ApiToken, Design, SignInLink
from designer.services.designs import saving
from designer.services.designs.edits import move
from estimator.catalog.catalog import Catalog
from estimator.jobs import tasks
from estimator.jobs.models import EstimateJob
from estimator.spec.design import DesignSpec
from estimator.spec.parse import parse_spec
from tests.yardstick import yardsticks

State = EstimateJob.State


def spec_of(catalog: Catalog, nodes: int = 4, name: str = "A cluster") -> DesignSpec:
    values = {"name": name, "compute": {"server": "dgx-h100", "nodes": nodes}, "fabric": {"generation": "ndr"}}
    return parse_spec(values, catalog)


class TestSaveDesign:
    def test_a_new_design_holds_the_normalized_spec_and_has_no_version(self, owner: User, catalog: Catalog) -> None:
        spec = spec_of(catalog)
        design = saving.save_design(owner, spec)
        assert (design.owner, design.name) == (owner, "A cluster")
        assert not design.revisions.exists()
        assert design.now.spec == spec.as_json()

    def test_a_change_is_an_edit_and_a_version_stays_what_it_was(self, owner: User, catalog: Catalog) -> None:
        design = saving.save_design(owner, spec_of(catalog))
        saving.save_version(design, "Small", "as first asked")
        saving.save_design(owner, spec_of(catalog, nodes=8, name="A bigger one"), design)
        design.refresh_from_db()
        assert (design.name, design.spec["compute"]["nodes"]) == ("A bigger one", 8)
        version = design.revisions.get()
        assert (version.name, version.note, version.spec["compute"]["nodes"]) == ("Small", "as first asked", 4)
        move(design, -1)
        assert design.now.spec["compute"]["nodes"] == 4

    def test_saying_what_was_a_default_is_a_change(self, owner: User, catalog: Catalog) -> None:
        """It means the same today, and stays when another server brings other defaults."""
        design = saving.save_design(owner, spec_of(catalog))
        said = spec_of(catalog).as_given() | {"compute": {"server": "dgx-h100", "nodes": 4, "nics_per_node": 8}}
        saving.save_design(owner, parse_spec(said, catalog), design)
        assert design.now.given["compute"]["nics_per_node"] == 8
        assert {edit.spec_hash for edit in design.edits.all()} == {design.now.spec_hash}

    def test_saving_the_same_again_adds_nothing(self, owner: User, catalog: Catalog) -> None:
        design = saving.save_design(owner, spec_of(catalog))
        saving.save_design(owner, spec_of(catalog), design)
        assert not design.edits.exists()
        assert Design.objects.count() == 1


@pytest.mark.django_db(transaction=True)
class TestRequestEstimate:
    def test_a_new_job_is_stored_and_sent(self, owner: User, catalog: Catalog, sent: list[str]) -> None:
        job, created = saving.request_estimate(owner, spec_of(catalog))
        assert created
        assert sent == [str(job.pk)]
        job.refresh_from_db()
        assert job.state == State.QUEUED
        assert job.sent_at is not None

    @pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.SUCCEEDED])
    def test_a_live_job_of_the_same_spec_is_given_again(
        self, owner: User, catalog: Catalog, sent: list[str], state: str
    ) -> None:
        first, _ = saving.request_estimate(owner, spec_of(catalog))
        EstimateJob.objects.update(state=state)
        again, created = saving.request_estimate(owner, spec_of(catalog))
        assert (again.pk, created) == (first.pk, False)
        assert len(sent) == 1

    @pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
    def test_a_dead_one_is_not(self, owner: User, catalog: Catalog, sent: list[str], state: str) -> None:
        first, _ = saving.request_estimate(owner, spec_of(catalog))
        EstimateJob.objects.update(state=state)
        again, created = saving.request_estimate(owner, spec_of(catalog))
        assert again.pk != first.pk
        assert created

    @pytest.mark.parametrize("version", ["model_version", "catalog_version"])
    def test_one_of_other_versions_is_not(self, owner: User, catalog: Catalog, sent: list[str], version: str) -> None:
        first, _ = saving.request_estimate(owner, spec_of(catalog))
        EstimateJob.objects.update(**{version: "an older one"})
        again, created = saving.request_estimate(owner, spec_of(catalog))
        assert again.pk != first.pk
        assert created

    def test_another_users_job_is_not_shared(self, owner: User, catalog: Catalog, sent: list[str]) -> None:
        other = User.objects.create_user("grace")
        first, _ = saving.request_estimate(owner, spec_of(catalog))
        theirs, created = saving.request_estimate(other, spec_of(catalog))
        assert theirs.pk != first.pk
        assert created

    def test_with_the_broker_away_the_job_is_kept_and_the_answer_is_quick(self, owner: User, catalog: Catalog) -> None:
        made: list[tuple[EstimateJob, bool]] = []
        took = yardsticks(  # the tests' broker address leads nowhere
            lambda: made.append(saving.request_estimate(owner, spec_of(catalog))), time.monotonic
        )
        assert took < 50
        ((job, created),) = made
        assert created
        job.refresh_from_db()
        assert (job.state, job.sent_at) == (State.QUEUED, None)

    def test_ten_clicks_at_once_make_one_job(self, owner: User, catalog: Catalog, sent: list[str]) -> None:
        spec, answers, start = spec_of(catalog), [], threading.Barrier(10)

        def click() -> None:
            start.wait()
            answers.append(saving.request_estimate(owner, spec))
            connection.close()

        threads = [threading.Thread(target=click) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 10  # an error in a thread would be one answer less
        assert len({job.pk for job, _ in answers}) == 1
        assert sum(created for _, created in answers) == 1
        assert len(sent) == 1

    def test_a_job_stored_a_moment_ago_by_another_process_is_given(
        self, owner: User, catalog: Catalog, sent: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Between the look for a live job and the storing of a new one, somebody else stores it."""
        spec, others = spec_of(catalog), []

        def meanwhile(of: User) -> None:
            monkeypatch.setattr(saving, "_check_room_for_one_more", lambda _: None)
            others.append(saving.request_estimate(of, spec)[0])

        monkeypatch.setattr(saving, "_check_room_for_one_more", meanwhile)
        job, created = saving.request_estimate(owner, spec)
        assert (job.pk, created) == (others[0].pk, False)
        assert sent == [str(job.pk)]

    def test_nothing_is_sent_before_the_job_can_be_seen(self, owner: User, catalog: Catalog, sent: list[str]) -> None:
        """A worker that is quicker than the commit would find no row."""
        with transaction.atomic():
            saving.request_estimate(owner, spec_of(catalog))
            assert sent == []
        assert len(sent) == 1

    def test_a_user_has_a_bounded_number_of_jobs(
        self, owner: User, catalog: Catalog, sent: list[str], settings: Any
    ) -> None:
        settings.ACTIVE_JOBS_PER_USER = 2
        for nodes in (1, 2):
            saving.request_estimate(owner, spec_of(catalog, nodes))
        with pytest.raises(saving.TooManyJobs) as refused:
            saving.request_estimate(owner, spec_of(catalog, 3))
        assert refused.value.as_json()["code"] == "too_many_jobs"
        assert "2" in refused.value.problems[0].message
        EstimateJob.objects.filter(owner=owner).update(state=State.SUCCEEDED)
        assert saving.request_estimate(owner, spec_of(catalog, 3))[1]


@pytest.mark.django_db(transaction=True)
def test_cancelling(owner: User, catalog: Catalog, sent: list[str]) -> None:
    job, _ = saving.request_estimate(owner, spec_of(catalog))
    assert saving.cancel_estimate(job)
    assert job.state == State.CANCELLED
    assert not saving.cancel_estimate(job)
    tasks.run_estimate(str(job.pk))
    job.refresh_from_db()
    assert job.result is None


class TestSecrets:
    def test_a_token_is_found_by_its_key_and_the_key_is_not_kept(self, owner: User) -> None:
        token, key = ApiToken.issue(owner, "laptop", ApiToken.Scope.WRITE)
        assert ApiToken.find(key) == token
        assert key not in str(ApiToken.objects.values())
        assert ApiToken.find(key + "x") is None

    def test_revoked_tokens_and_barred_owners_are_not_found(self, owner: User) -> None:
        token, key = ApiToken.issue(owner, "laptop")
        owner.is_active = False
        owner.save()
        assert ApiToken.find(key) is None
        owner.is_active = True
        owner.save()
        ApiToken.objects.update(revoked_at=token.created_at)
        assert ApiToken.find(key) is None

    def test_a_sign_in_link_works_once(self, owner: User) -> None:
        secret = SignInLink.issue(owner)
        assert SignInLink.redeem("wrong") is None
        assert SignInLink.redeem(secret) == owner
        assert SignInLink.redeem(secret) is None
        assert SignInLink.redeem(secret, again=True) == owner
        assert SignInLink.redeem("wrong", again=True) is None

    def test_an_old_or_replaced_sign_in_link_does_not_work(self, owner: User) -> None:
        first = SignInLink.issue(owner)
        second = SignInLink.issue(owner)
        assert SignInLink.redeem(first) is None
        link = SignInLink.objects.get()
        assert SignInLink.redeem(second, now=link.expires_at) is None

    def test_a_barred_user_is_signed_in_by_no_link(self, owner: User) -> None:
        secret = SignInLink.issue(owner)
        owner.is_active = False
        owner.save()
        assert SignInLink.redeem(secret) is None
