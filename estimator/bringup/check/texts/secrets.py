"""Secrets in what is uploaded: passwords, keys, communities and tokens are cut out before anything else is read.

A secret is known by the word before it, by the block or document that it stands in, or by its own form. Where it is not
sure, it is hidden: no setting that is compared has such a form.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

MASK = "(hidden)"
LONGEST = 4_000
_WORDS = (
    r"pass(?:word|wd|phrase|code)|secret|community|token|credentials?|psk|pre[-_]?shared[-_]?key|private[-_]?key|"
    r"auth(?:entication)?[-_]?key|encrypted-password|hashed-password|api[-_]?key|access[-_]?key|account[-_]?key|"
    r"client[-_]?secret|md5|md7|key-string|key-chain|snmp-server user|"
    r"auth-password|priv(?:acy)?-password|privacy-key|message-digest-key \d+|radius[-_]?key|tacacs[-_]?key|passkey|"
    r"[ms]m?_key|sa_key|cc_key|vs_key|n2n_key|bind_?pw|key-data|tls\.key|dockerconfigjson|dockercfg|bearer|authorization|cak|"
    r"(?:shared|session|signing|encryption|master|wrapping|ssh|license)[-_]key|sas[-_]?key|connection[-_]?string|kubeconfig"
)
_NAMED = re.compile(rf"(?i)(?:^|[^a-z])({_WORDS})s?(?![a-z])")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LINE = re.compile(
    rf"(?i)^(?P<kept>.*?(?<![a-z])(?:{_WORDS}|(?:tacacs|radius)-server .{{0,80}}?key|neighbor \S+ password|username \S+|"
    rf"snmp-server (?:community|user|host \S+)(?=\s)|(?:server|host)[\w-]* .{{0,80}}?\bkey|"
    rf"authentication (?:text|md5|key)|(?:standby|vrrp|hsrp|glbp) \d+ authentication|"
    rf"\bkey [0-9a-f]{{1,64}} 7|curl .{{0,200}}?(?:-u|--user)|"
    rf"\b(?:0x)?[MS]M?_Key)s?(?![a-z])['\"]?\s*[:=]?\s*)(?P<secret>\S.*)$"
)
_BARE = re.compile(
    r"\$(?:1|5|6|7|8|9|2[aby]|y|14|sha512|pbkdf2-sha512)\$\S+|\bA[KS]IA[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\S*|"
    r"\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}|\bhf_\w{16,}|\bnvapi-[\w-]{16,}|"
    r"\bsk-[\w-]{16,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{16,}|\bdckr_pat_[\w-]{16,}|\bnpm_\w{20,}|\bhv[sb]\.\w{20,}|"
    r"\bssh-(?:rsa|dss|ed25519)\s+\"?(?:ssh-\S+\s+)?\S+|\becdsa-sha2-\S+\s+\S+|://[^/\s:@]*:[^/\s@]+@|"
    r"(?<![\w+/=-])(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*\d)(?![\w-]*/\S*/\S*/)[\w+/-]{40,}={0,2}(?![\w+/=-])"
)
_HINT_WORDS = (
    r"pass|secret|communit|token|credential|psk|key|md5|md7|username|snmp|a[ks]ia|eyj|gh[pousr]_|github_pat|glpat|xox|hf_|"
    r"nvapi|sk-|aiza|ya29|dckr|npm_|hv[sb]\.|://|\$|ssh-|ecdsa|bearer|authoriz|bind_?pw|docker|authentication|curl|connection|"
    r"kubeconfig|cak"
)
_HINT, _HINT_IN_ANY_CASE = re.compile(_HINT_WORDS), re.compile(f"(?i){_HINT_WORDS}")
LONG_WORD = 40
_LONG_WORD = re.compile(rf"(?<![\w+/-])[\w+/-]{{{LONG_WORD}}}")
_BEGIN, _END = (
    re.compile(rf"-----{way} [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|^{word}")
    for way, word in (("BEGIN", "Private-Lines: "), ("END", "Private-MAC: "))
)
_NOT_SECRET = re.compile(
    r"(?i)^['\"]?(?:none|null|true|false|no|yes|disabled?|enabled?|\(null\)|[{\[]?)['\"]?[,;]?\s*[{\[]?$|^[|>][-+0-9]{0,2}$"
)
_OPENS = re.compile(r"^(?P<indent>\s*)(?:- )?(?P<key>[\w.\"'-]+):\s*(?P<block>[|>][-+0-9]{0,2})?\s*$")
_KEEPER = re.compile(
    r"(?i)^(?:tacacs|radius|aaa |key chain|key-chain|shared-secret|mac security|macsec|ike|ipsec|crypto|ldap)"
)
_KEPT_HERE = re.compile(r"(?i)^(\s*(?:\d+ )?(?:key|secret|password|authentication|bind\S*)\b\s*)(\S.*)$")
_SECRET_KIND = re.compile(r"(?m)^\s*(?:- )?kind:\s*['\"]?(?:Sealed)?Secret['\"]?\s*$")
_PLAIN_KEYS = ("apiVersion", "kind", "metadata", "name", "namespace", "type", "items", "data", "stringData", "labels")
_NAME = re.compile(r"^\s*(?:- )?name:\s*['\"]?([\w.-]+)['\"]?\s*$")
_VALUE = re.compile(r"^(\s*(?:- )?value:\s*)(\S.*)$")
_SCALAR = re.compile(r"^(\s*(?:- )?([\w.\"'/-]+):\s+)(\S.*)$")


class Cleaned(NamedTuple):
    """A text without its secrets, line for line, and the lines that had one."""

    text: str
    lines: tuple[int, ...]


@lru_cache(maxsize=4096)
def is_secret(key: str) -> bool:
    """Whether what stands under this key is one."""
    words = _CAMEL.sub("-", key).replace("_", "-").lower()
    return _NAMED.search(words) is not None or "secret" in words or "password" in words


def masked(text: str) -> str:
    """A short text as it may be shown."""
    return cleaned(text[:400]).text


def cleaned(text: str) -> Cleaned:
    """Every secret replaced by MASK. What follows the word for a secret on its line goes, and so do whole private keys."""
    lines = list(_lines(text))
    changed = (number for number, (line, kept) in enumerate(lines, 1) if kept != line)
    return Cleaned("\n".join(kept for _, kept in lines), tuple(changed))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Each line with what is kept of it."""
    in_key, below, keeper = False, -1, -1  # a private key; indentations of a secret key's line and of a block of keys
    named_secret = False  # the line before names a variable that is one
    kinds = _documents(text) if _SECRET_KIND.search(text) else frozenset()
    for number, line in enumerate(text.split("\n"), 1):
        begins = _BEGIN.search(line)
        if in_key or begins:
            in_key = not _END.search(line)
            yield line, (line[: begins.start()] if begins else "") + MASK
            continue
        body = line.lstrip()
        indent = len(line) - len(body)
        if not body:
            yield line, line
            continue
        if below >= 0 and indent > below:
            yield line, _below(line, indent)
            continue
        below = -1
        opens = _OPENS.match(line)
        if opens and is_secret(opens["key"]):
            below = indent
        keeper = -1 if indent <= keeper else keeper
        if keeper < 0 and _KEEPER.match(body):
            keeper = indent
        kept = _without(line)
        own = _KEPT_HERE.match(line) if 0 <= keeper < indent else None
        if own and kept == line:
            kept = own[1] + MASK
        value = _VALUE.match(line) if named_secret else None
        if value:
            kept = value[1] + MASK
        name = _NAME.match(line)
        named_secret = bool(name and is_secret(name[1]))
        yield line, _in_secret(line, kept) if number in kinds else kept


def _in_secret(line: str, kept: str) -> str:
    """A line of a document that is a Secret: its keys stay, and what names it."""
    scalar = _SCALAR.match(line)
    if scalar and scalar[2].strip("\"'") in _PLAIN_KEYS:
        return kept
    if scalar and not _NOT_SECRET.match(scalar[3]):
        return scalar[1] + MASK
    body = line.lstrip()
    return kept if scalar or body.endswith(":") or body.startswith(("-", "#")) else line[: len(line) - len(body)] + MASK


def _documents(text: str) -> frozenset[int]:
    """Lines of the documents of a manifest that are Secrets."""
    found: set[int] = set()
    first = 1
    for part in re.split(r"(?m)^(?=---)", text):
        size = part.count("\n")
        if _SECRET_KIND.search(part):
            found |= set(range(first, first + size + 1))
        first += size
    return frozenset(found)


def _below(line: str, indent: int) -> str:
    """A line under a secret's key, with the form that it has in its document."""
    body = line[indent:]
    if body.startswith("- "):
        return f"{line[:indent]}- {MASK}"
    return line[:indent] + (f"{MASK}: {MASK}" if ": " in body else f"{MASK}:" if body.endswith(":") else MASK)


def _has_hint(text: str) -> bool:
    """Whether a secret may stand in a text. Letters are made small first: a search in any case takes ten times as long."""
    word = _HINT.search(text.lower()) if text.isascii() else _HINT_IN_ANY_CASE.search(text)
    return word is not None or (len(text) >= LONG_WORD and _LONG_WORD.search(text) is not None)


def _without(line: str) -> str:
    if not _has_hint(line):
        return line
    if len(line) > LONGEST:  # of no command: whatever is in it, it is not searched word by word
        return MASK
    kept = _BARE.sub(MASK, line)
    match = _LINE.match(kept)
    if not match or _NOT_SECRET.match(match["secret"].strip()):
        return kept
    ends = " {" if match["secret"].rstrip().endswith("{") else ";" if ";" in match["secret"] else ""
    return match["kept"] + MASK + ends  # a configuration in braces keeps its form


JSON_TOKEN = re.compile(r'[ \t\r\n]*([{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+)')


def cleaned_json(text: str) -> Cleaned:
    """The same of a JSON document: what stands under a secret's key goes, names of communities do, and secrets inside texts."""
    out: list[str] = []
    found: list[int] = []
    line, at = 1, 0
    stack: list[_Open] = []
    for match in JSON_TOKEN.finditer(text):
        start, piece = match.start(1), match[1]
        line += text.count("\n", at, start)
        out.append(text[at:start])
        at = match.end(1)
        top = stack[-1] if stack else _Open(False, "", False)
        shown = piece
        if piece in ("{", "["):
            above = top.key or ""
            stack.append(_Open(piece == "{", above or top.name, top.is_hidden or is_secret(above)))
        elif piece in ("}", "]"):
            stack.pop()
            if stack:
                stack[-1].key = None
        elif piece == ",":
            top.key = None
        elif piece != ":":
            shown = _json_piece(piece, top)
        if shown != piece:
            found.append(line)
        out.append(shown)
    return Cleaned("".join([*out, text[at:]]), tuple(dict.fromkeys(found)))


@dataclass
class _Open:
    """An object or list that is open: its own key, the key that waits for its value, and the name that the object gives."""

    is_object: bool
    name: str
    is_hidden: bool
    key: str | None = None
    variable: str = ""


def _json_piece(piece: str, top: _Open) -> str:
    """A key or a value as it may be kept."""
    text = str(json.loads(piece)) if piece[:1] == '"' else piece
    if top.is_object and top.key is None:
        top.key = text
        return json.dumps(MASK) if "communit" in top.name.lower() else piece  # communities are keys of what they may do
    key = top.key or ""
    if key == "name":
        top.variable = text
    is_value = key == "value" and is_secret(top.variable)
    if (top.is_hidden or is_value or is_secret(key) or key == "auth") and piece not in ("true", "false", "null", '""'):
        return json.dumps(MASK)
    if piece[:1] != '"' or not _has_hint(piece):
        return piece
    kept = cleaned(text).text
    return piece if kept == text else json.dumps(kept)
