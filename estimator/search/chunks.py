"""Columns of a range of candidates as bytes, for a search that is worked out in chunks: an npz archive without objects."""

import io
import json
from collections import Counter
from collections.abc import Sequence

import numpy as np

from estimator.errors import Problem
from estimator.search.candidates import Refused
from estimator.search.figures import Key, Table
from estimator.units import IntArray

_SIDES = ("typical", "low", "high")


def packed(number: IntArray, table: Table, refused: Refused) -> bytes:
    """Candidates that can be built with their figures, and why the others cannot."""
    columns = {"number": number}
    for side in _SIDES:
        columns |= {f"{side}/{name}/{size}": column for (name, size), column in getattr(table, side).items()}
    first_of_code = {code: [one.field, one.message] for code, one in refused.first.items()}
    reasons = json.dumps({"counts": refused.counts, "first": first_of_code})
    columns |= {"refused": np.frombuffer(reasons.encode(), dtype=np.uint8)}
    into = io.BytesIO()
    np.savez_compressed(into, allow_pickle=False, **columns)
    return into.getvalue()


def unpacked(part: bytes, keys: Sequence[Key]) -> tuple[IntArray, Table, Refused]:
    """The reverse of ``packed``."""
    with np.load(io.BytesIO(part), allow_pickle=False) as columns:
        sides = [{(name, size): columns[f"{side}/{name}/{size}"] for name, size in keys} for side in _SIDES]
        reasons = json.loads(columns["refused"].tobytes())
        number = columns["number"]
    first = {code: Problem(field, code, message) for code, (field, message) in reasons["first"].items()}
    return number, Table(*sides), Refused(Counter(reasons["counts"]), first)
