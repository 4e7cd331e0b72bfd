"""Columns of a range of candidates as bytes, for a search that is worked out in chunks: an npz archive without objects."""

import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimator.errors import Problem
from estimator.search.candidates import Refused
from estimator.search.figures import Key, Table
from estimator.units import IntArray

_SIDES = ("typical", "low", "high")


@dataclass(frozen=True)
class Chunk:
    """Candidates of a range that can be built, with their figures; why the others cannot, and why a workload has none."""

    number: IntArray
    table: Table
    refused: Refused
    refusal: Problem | None = None


def packed(chunk: Chunk) -> bytes:
    """A chunk as bytes."""
    columns = {"number": chunk.number}
    for side in _SIDES:
        columns |= {f"{side}/{name}/{size}": column for (name, size), column in getattr(chunk.table, side).items()}
    first_of_code = {code: [one.field, one.message] for code, one in chunk.refused.first.items()}
    refusal = [chunk.refusal.field, chunk.refusal.code, chunk.refusal.message] if chunk.refusal else None
    reasons = json.dumps({"counts": chunk.refused.counts, "first": first_of_code, "refusal": refusal})
    columns |= {"refused": np.frombuffer(reasons.encode(), dtype=np.uint8)}
    into = io.BytesIO()
    np.savez_compressed(into, allow_pickle=False, **columns)
    return into.getvalue()


def unpacked(part: bytes, keys: Sequence[Key]) -> Chunk:
    """The reverse of ``packed``."""
    with np.load(io.BytesIO(part), allow_pickle=False) as columns:
        sides = [{(name, size): columns[f"{side}/{name}/{size}"] for name, size in keys} for side in _SIDES]
        reasons = json.loads(columns["refused"].tobytes())
        number = columns["number"]
    first = {code: Problem(field, code, message) for code, (field, message) in reasons["first"].items()}
    refusal = reasons.get("refusal")  # chunks that were stored before there was one lack it
    return Chunk(
        number, Table(*sides), Refused(Counter(reasons["counts"]), first), Problem(*refusal) if refusal else None
    )
