"""The fingerprint of a contract's gates: whoever holds the JSON can check that a signed paper is of the same lines."""

import hashlib
import json
from collections.abc import Sequence

from estimator.bringup.acceptance.result import Gate


def gates_sha256(gates: Sequence[Gate]) -> str:
    """SHA-256 of the gates' JSON: keys sorted, no spaces, letters beyond ASCII escaped, as json.dumps writes it."""
    text = json.dumps([gate.as_json() for gate in gates], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
