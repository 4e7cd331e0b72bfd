"""Whether a request comes from a program of the very user of this machine who runs the server.

Such a program could read the database and its key, and print a new sign-in link: a used link gives it nothing more. Linux says
whose a connection's other end is; elsewhere nobody counts as the same person.
"""

from __future__ import annotations

import os
from ipaddress import ip_address
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest

TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
ESTABLISHED, CLOSE_WAIT = "01", "08"
OF_A_PROXY = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_FORWARDED_HOST")


def is_same_person(request: HttpRequest) -> bool:
    """True where the connection is from this machine, through no proxy, and its far end belongs to the server's own user."""
    meta = request.META
    is_behind_proxy = settings.REST_FRAMEWORK["NUM_PROXIES"] or getattr(settings, "SECURE_PROXY_SSL_HEADER", None)
    if is_behind_proxy or any(name in meta for name in OF_A_PROXY):
        return False
    try:
        address = ip_address(str(meta.get("REMOTE_ADDR")))
        ports = int(str(meta.get("REMOTE_PORT"))), int(str(meta.get("SERVER_PORT")))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    if not (mapped or address).is_loopback:
        return False
    return _owner_of_connection(*ports) == os.geteuid()


def _owner_of_connection(near_port: int, far_port: int) -> int | None:
    """The user whose loopback socket has these ports, seen from its own end; None where none or several have."""
    found = set()
    for table in TABLES.values():
        try:
            lines = table.read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            words = line.split()
            here, there, state, uid = words[1], words[2], words[3], int(words[7])
            ends = int(here.rpartition(":")[2], 16), int(there.rpartition(":")[2], 16)
            if ends == (near_port, far_port) and state in (ESTABLISHED, CLOSE_WAIT) and _is_loopback(here):
                found.add(uid)
    return found.pop() if len(found) == 1 else None


def _is_loopback(end: str) -> bool:
    """Of an address as the kernel writes it: words of four bytes, each the wrong way round."""
    digits = end.partition(":")[0]
    packed = b"".join(bytes.fromhex(digits[i : i + 8])[::-1] for i in range(0, len(digits), 8))
    address = ip_address(packed)
    return bool((getattr(address, "ipv4_mapped", None) or address).is_loopback)
