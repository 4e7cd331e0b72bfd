"""The page of accuracy of workloads says what the generated files say."""

import csv
import html
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from designer.pages.reading.workload_validation import BY, parts
from designer.wording.numbers import error
from estimator.workloads.accuracy import SERVING, TRAINING, accuracy

pytestmark = pytest.mark.django_db


def test_every_row_of_the_files_is_on_the_page(page: Client) -> None:
    words = re.sub(r"<[^>]+>", " ", page.get(reverse("validation-workloads")).content.decode())
    words = re.sub(r"\s+", " ", html.unescape(words))
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
