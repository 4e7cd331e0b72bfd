"""What lives in the state folder (`var/`, or DESIGNER_VAR). Standard library only: set-up and settings both use it."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
from pathlib import Path

UNIX_SOCKET_PATH_LIMIT_BYTES = 100  # the kernel's own limit is 107; servers add a suffix while they bind


def make_private_folder(folder: Path) -> Path:
    """Create a folder that only its owner can enter. One that exists stays as it is: it may be somebody's /tmp."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def check_owner(folder: Path) -> None:
    """Refuse a folder, or a link to one, that another user may have laid ready under a name that can be guessed."""
    if {folder.lstat().st_uid, folder.stat().st_uid} != {os.geteuid()}:
        raise PermissionError(f"{folder} belongs to another user; remove it or set DESIGNER_VAR to a shorter path.")


def secret_key(var: Path) -> str:
    """The key of this installation, made at first use, in a file that only its owner can read."""
    path = var / "secret-key"
    if not path.exists():
        make_private_folder(var)
        draft = var / f"secret-key.{os.getpid()}.{secrets.token_hex(4)}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)  # unlike a rename, this never replaces the key another process made meanwhile
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def broker_socket(var: Path) -> Path:
    """Where the built-in broker listens: in `var/`, or in a short private folder if that path does not suit a socket."""
    path = var / "broker.sock"
    goes_into_an_address = re.fullmatch(r"[\w./ -]+", str(path), re.ASCII)
    if goes_into_an_address and len(os.fsencode(path)) <= UNIX_SOCKET_PATH_LIMIT_BYTES:
        return path
    digest = hashlib.sha256(os.fsencode(var)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"clusterwright-{os.geteuid()}-{digest}" / "broker.sock"
