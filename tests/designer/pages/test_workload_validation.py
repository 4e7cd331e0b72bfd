"""The page of accuracy of workloads says what the generated files say."""

import csv
import html
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from designer.pages.reading.workload_validation import BY, parts
from designer.wording.numbers import error, percent
from estimator.workloads.accuracy import SERVING, TRAINING, accuracy, rankings, rivals

pytestmark = pytest.mark.django_db


def words_of(page: Client) -> str:
    words = re.sub(r"<[^>]+>", " ", page.get(reverse("validation-workloads")).content.decode())
    return re.sub(r"\s+", " ", html.unescape(words))


def test_every_row_of_the_files_is_on_the_page(page: Client) -> None:
    words = words_of(page)
    for row in accuracy():
        assert f"{error(row.fitted.median)} {error(row.fitted.ninth_decile)}" in words
        if row.by != "all":
            assert row.group in words
    shown = sum(1 + sum(len(rows) for _, rows in part.tables) for part in parts())
    assert shown == len(accuracy()), "each group has a table"


def test_errors_are_those_of_the_files() -> None:
    groups = json.loads(TRAINING.read_text())["groups"]
    with SERVING.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(accuracy()) == len(groups) + len(rows)
    first, last = accuracy()[0], accuracy()[-1]
    assert first.model_left_out
    assert first.model_left_out.median == pytest.approx(groups[0]["model_left_out"]["median"] / 100)
    assert last.fitted.ninth_decile == float(rows[-1]["ninth_decile"])
    assert {row.by for row in accuracy()} <= {"all", *BY}


def test_both_pages_of_validation_lead_to_each_other(page: Client) -> None:
    assert reverse("validation-workloads") in page.get(reverse("validation")).content.decode()
    assert reverse("validation") in page.get(reverse("validation-workloads")).content.decode()


def test_choices_of_layout_and_other_tools_are_on_the_page_as_in_their_files(page: Client) -> None:
    words = words_of(page)
    for ranked in rankings():
        found = ranked.ranking
        figures = (found.best_first, found.best_in_two, found.by_chance, found.regret_median, found.regret_ninth_decile)
        assert " ".join(percent(one) for one in figures).replace("\N{NO-BREAK SPACE}", " ") in words
    for rival in rivals():
        assert f"{rival.tool} {rival.version}".strip() in words
        if rival.errors:
            assert f"{error(rival.errors.median)} {error(rival.errors.ninth_decile)}" in words
        if rival.note:
            assert rival.note in words
