"""How far two pictures of pages are apart, and the version before, whose pages are looked at beside those of today.

Both pictures become a grid of grey cells, 32 across: the layout and the colours of a page are compared, not its letters.
Measured on ten pages when the limits were chosen: the same page taken again on one machine differs by 0.9 of 255 on average
and moves no cell; another page by 4.8 and 8 % of the cells at least (the tabs of one design, which share form and head), a
page without its styles by 9.4 and 17 %, the other theme by 185 and 99 %.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from tests.processes import BASE_DIR

COLUMNS = 32
MOVED = 16  # of 255: a cell that differs by more holds something else
MOST_APART, MOST_MOVED = 3.0, 0.03
DRAWN_BY = (
    "designer",
    ":!designer/docs",
    "estimator",
    "static",
    "templates",
    "tests/designer/showcase.py",
    "requirements.txt",
)
FILLED_BY = (  # what an account's designs, estimates and texts are made by
    "designer/forms",
    "designer/migrations",
    "designer/models",
    "designer/services",
    "estimator",
    ":!estimator/docs",
    "tests/designer/showcase.py",
    "requirements.txt",
)
TRAILER = "Looks-changed"  # of a commit's message: the names of pages that it makes look otherwise, on purpose


class Unlikeness(NamedTuple):
    """How far two pictures are apart."""

    apart: float  # mean difference of the cells, of 255
    moved: float  # share of the cells that hold something else

    @property
    def is_small(self) -> bool:
        return self.apart <= MOST_APART and self.moved <= MOST_MOVED


def cells(shot: Image.Image) -> np.ndarray:
    """A picture as a grid of grey cells, about square."""
    rows = round(COLUMNS * shot.height / shot.width)
    return np.asarray(shot.convert("L").resize((COLUMNS, rows), Image.Resampling.BOX), dtype=float)


def unlikeness(one: Image.Image, other: Image.Image) -> Unlikeness:
    apart = np.abs(cells(one) - cells(other))
    return Unlikeness(float(apart.mean()), float((apart > MOVED).mean()))


# ---------------------------------------------------------------- the version before


class NoBase(Exception):
    """There is no version to look back to; the text says why."""


def base_commit() -> str:
    """LOOKS_BASE; else where this branch left ``main``; on ``main``, the last commit, or with no change since, its parent."""
    if given := os.environ.get("LOOKS_BASE"):
        return commit_of(given)
    head = commit_of("HEAD")
    try:
        left = git("merge-base", "HEAD", "main")
    except NoBase:  # a clone of one branch
        left = head
    if left != head:
        return left
    return head if git("status", "--porcelain", "--", *DRAWN_BY) else commit_of("HEAD~1")


def commit_of(name: str) -> str:
    return git("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")


def draws_the_same(base: str) -> bool:
    """Whether nothing that a page is made of has changed since."""
    return _is_unchanged(base, DRAWN_BY)


def fills_the_same(base: str) -> bool:
    """Whether that version would fill an account with the same: its pages can then be drawn of a copy."""
    return _is_unchanged(base, FILLED_BY)


def _is_unchanged(base: str, paths: tuple[str, ...]) -> bool:
    return not git("diff", "--name-only", base, "--", *paths) and not git("status", "--porcelain", "--", *paths)


def meant_to_change(base: str) -> set[str]:
    """Pages that the commits since name in their messages."""
    return set(git("log", f"--format=%(trailers:key={TRAILER},valueonly)", f"{base}..HEAD").replace(",", " ").split())


def version_at(base: str, folder: Path) -> Path:
    """The files of a commit, in a folder."""
    packed = subprocess.run(["git", "archive", base], cwd=BASE_DIR, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x"], input=packed, cwd=folder, check=True)
    return folder


def git(*arguments: str) -> str:
    """What git says here.

    Raises
    ------
    NoBase
        Where there is no git, no repository, or no such commit.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=BASE_DIR, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NoBase("there is no git on this machine") from error
    if done.returncode:
        raise NoBase(
            done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"git {arguments[0]} found nothing"
        )
    return done.stdout.strip()
