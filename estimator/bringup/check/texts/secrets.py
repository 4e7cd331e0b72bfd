"""Secrets in what is uploaded: passwords, keys, communities and tokens are cut out before anything else is read."""

import re
from typing import NamedTuple

MASK = "(hidden)"
_WORDS = (
    r"pass(?:word|wd|phrase|code)|secret|community|token|credential|psk|pre-?shared-?key|private-?key|auth(?:entication)?-?key|"
    r"encrypted-password|hashed-password|api[-_]?key|access[-_]?key|client[-_]?secret|md5|md7|key-string|key-chain|"
    r"snmp-server user|auth-password|priv-password|radius[-_]?key|tacacs[-_]?key|passkey|[ms]m?_key|sa_key|cc_key|vs_key|n2n_key"
)
_NAMED = re.compile(rf"(?i)(?:^|[^a-z])({_WORDS})s?(?![a-z])")
_LINE = re.compile(
    rf"(?i)^(?P<kept>.*?(?<![a-z])(?:{_WORDS}|(?:tacacs|radius)-server .{{0,80}}?key|neighbor \S+ password|username \S+|"
    rf"snmp-server (?:community|user)|(?:server|host) .{{0,80}}?\bkey)s?(?![a-z])['\"]?\s*[:=]?\s*)(?P<secret>\S.*)$"
)
_BARE = re.compile(
    r"\$(?:1|5|6|8|9|2[aby]|y|sha512|pbkdf2-sha512)\$\S+|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\S*|"
    r"\bgh[pousr]_\w{20,}|\bhvs\.\w{20,}|\bssh-(?:rsa|ed25519)\s+\S+|://[^/\s:@]+:[^/\s@]+@"
)
_HINT = re.compile(
    r"(?i)pass|secret|communit|token|credential|psk|key|md5|md7|username|snmp|AKIA|eyJ|gh[pousr]_|hvs|://|\$"
)
_BEGIN, _END = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----"), re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY-----")
_NOT_SECRET = re.compile(r"(?i)^['\"]?(?:none|null|true|false|no|yes|disabled?|enabled?|[{\[]?)['\"]?[,;]?\s*[{\[]?$")


class Cleaned(NamedTuple):
    """A text without its secrets, line for line, and the lines that had one."""

    text: str
    lines: tuple[int, ...]


def is_secret(key: str) -> bool:
    """Whether what stands under this key is one."""
    return _NAMED.search(key.replace("_", "-")) is not None or "secret" in key.lower() or "password" in key.lower()


def masked(text: str) -> str:
    """A short text as it may be shown."""
    return cleaned(text[:400]).text


def cleaned(text: str) -> Cleaned:
    """Every secret replaced by MASK. What follows the word for a secret on its line goes, and so do whole private keys."""
    out, found, in_key = [], [], False
    for number, line in enumerate(text.split("\n"), 1):
        begins = _BEGIN.search(line)
        if in_key or begins:
            found.append(number)
            in_key = not _END.search(line)
            out.append((line[: begins.start()] if begins else "") + MASK)
            continue
        kept = _without(line)
        if kept != line:
            found.append(number)
        out.append(kept)
    return Cleaned("\n".join(out), tuple(found))


def _without(line: str) -> str:
    if not _HINT.search(line):
        return line
    kept = _BARE.sub(MASK, line)
    match = _LINE.match(kept)
    if not match or _NOT_SECRET.match(match["secret"].strip()):
        return kept
    ends = " {" if match["secret"].rstrip().endswith("{") else ";" if ";" in match["secret"] else ""
    return match["kept"] + MASK + ends  # a configuration in braces keeps its form
