"""Secrets of many kinds, in every kind of file: none is kept, none is shown, and the file is read all the same."""

import json

import pytest

from estimator.bringup.check.result import Unread
from estimator.bringup.check.texts.secrets import cleaned, cleaned_json, is_secret
from estimator.bringup.check.upload import read_all
from tests.estimator.bringup.settings.clean import SETS, clean
from tests.estimator.bringup.settings.test_settings_strangers import SETS as STRANGERS

S = "Seeded5ecretXq"
LINES = f"""\
snmp-server community {S} ro
snmp-server community 7 {S}
snmp-server host 1.2.3.4 version 2c {S}
snmp-server host 10.1.1.1 traps version 2c {S}
snmp-server host 10.1.1.1 informs version 2c {S} udp-port 162
snmp-server user u g v3 auth sha {S} priv aes 128 {S}
username x password 0 {S}
username x secret sha512 {S}
username x privilege 15 {S}
enable secret 9 {S}
enable password {S}
tacacs-server key 7 {S}
tacacs-server host h key {S}
radius-server host h auth-port 1 acct-port 2 key {S}
neighbor 10.0.0.1 password 7 {S}
  password 3 {S}
 ip ospf message-digest-key 1 md5 {S}
 ip ospf authentication-key {S}
 isis password {S} level-2
 authentication-key "{S}";
ntp authentication-key 1 md5 {S} 7
ntp authentication-key 1 sha1 7 {S}
 pre-shared-key {S}
 vrrp 1 authentication text {S}
 hsrp 1 authentication md5 key-string {S}
 standby 1 authentication {S}
   key 0abc 7 {S}
aws_secret_access_key = {S}
AWS_ACCESS_KEY_ID=AKIA{S.upper()[:14]}AB
Authorization: Bearer {S}
 token: {S}
apiKey: {S}
api_key={S}
x-api-key: {S}
export WANDB_API_KEY={S}
HUGGING_FACE_HUB_TOKEN={S}
NGC_CLI_API_KEY={S}
 run --password {S} x
 run --token={S}
 curl -u user:{S} https://x
 https://user:{S}@host/x
 git+ssh://:{S}@h
bindpw {S}
bind_password: {S}
client-key-data: {S}
.dockerconfigjson: {S}
m_key 0x{S}
M_Key: 0x{S}
sm_key 0x{S}
ufm_password={S}
trap_community = {S}
rest_password = {S}
set system radius-server 1.1.1.1 secret "{S}"
set snmp community {S}
set snmp v3 usm local-engine user u authentication-sha authentication-password {S}
set snmp v3 usm local-engine user u privacy-aes128 privacy-key "{S}"
set protocols isis interface x hello-authentication-key "{S}"
set security ike policy p pre-shared-key ascii-text "{S}"
set protocols ospf area 0 interface x authentication simple-password {S}
    community {S} {{
    plain-text-password-value "{S}";
nv set system aaa user x password {S}
nv set system aaa tacacs server 1 secret {S}
nv set system snmp-server readonly-community {S} access any
nv set vrf default router bgp peer-group u password {S}
nv set service snmp-server mgmt username u auth-sha {S}
AccountKey={S};EndpointSuffix=x
connectionString: Endpoint={S}
secret: {S}
clientSecret: {S}
privateKey: {S}
passphrase: {S}
WIREGUARD_PRIVATE_KEY={S}
GF_SECURITY_ADMIN_PASSWORD={S}
--from-literal=password={S}
- name: REDIS_PASSWORD
shared-secret profile P
   secret 0 7 {S}
tacacs server T
   address ipv4 1.1.1.1
   key 7 {S}
aaa group server tacacs+ T
 server-private 1.2.3.4 key 7 {S}
key chain K
  key 1
    key-string 7 {S}
mac security
   profile M
      key 0abc 7 {S}
password: |
   {S}
   line{S}
next: 1
password:
   {S}
-----BEGIN PGP PRIVATE KEY BLOCK-----
{S}
-----END PGP PRIVATE KEY BLOCK-----
-----BEGIN OPENSSH PRIVATE KEY-----
{S}
-----END OPENSSH PRIVATE KEY-----
primary_cak: {S}
snmp-server location x
"""
MANIFEST = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: x
data:
  user: {S}
stringData:
  foo: "{S}"
  bar: >-
     {S}
---
apiVersion: v1
kind: Pod
spec:
  env:
    - name: DB_PASSWORD
      value: {S}
    - name: DB_PASSWORD
      value: "{S}"
    - {{name: API_TOKEN, value: {S}}}
"""
DOCUMENT = {
    "SNMP_COMMUNITY": {S: {"TYPE": "RO"}},
    "account": {"password": S, "keys": [{"token": S}], "tokens": [S, S]},
    "config": f"snmp-server community {S} ro\nhostname x",
    "env": [{"name": "DB_PASSWORD", "value": S}],
    "auths": {"nvcr.io": {"auth": S}},
    "BGP_NEIGHBOR": {"x": {"auth_password": S}},
    "userTokens": {"x": {"y": {"z": S}}},
}
FILES = {f"{name} {file}": text for name in SETS for file, text in clean(name).items()}
FILES |= {f"{name} {file}": text for name, (_, files) in STRANGERS.items() for file, text in files.items()}


@pytest.mark.parametrize("text", [LINES, MANIFEST], ids=["lines", "manifest"])
def test_a_secret_is_cut_out_of_its_line(text: str) -> None:
    clean_text = cleaned(text)
    assert [line for line in clean_text.text.split("\n") if S.lower() in line.lower()] == []
    assert clean_text.text.count("\n") == text.count("\n")


def test_a_secret_is_cut_out_of_a_document_that_stays_one() -> None:
    text = json.dumps(DOCUMENT, indent=1)
    found = cleaned_json(text)
    assert S not in found.text
    assert found.text.count("\n") == text.count("\n")
    assert json.loads(found.text)["config"] == "snmp-server community (hidden)\nhostname x"


@pytest.mark.parametrize("name", FILES)
def test_no_reader_keeps_a_secret_that_stands_in_its_file(name: str) -> None:
    text = FILES[name]
    if text.lstrip().startswith(("{", "[{", "[\n")):
        tree = json.loads(text)
        (tree if isinstance(tree, dict) else tree[-1]).update(DOCUMENT)
        given = json.dumps(tree, indent=1)
    else:
        given = f"{LINES}\n{text}\n{LINES}"
    unread: list[Unread] = []
    readings = list(read_all([(f"x/{name}", given.encode())], unread))
    assert S.lower() not in f"{readings}{unread}".lower()
    assert readings or unread
    assert any("A secret stood here" in one.why for one in unread) or not readings


@pytest.mark.parametrize(
    "key", ["traffic-class", "switch-priority", "pfc_enable", "NCCL_IB_TC", "autonomous-system", "mtu"]
)
def test_settings_are_no_secrets(key: str) -> None:
    assert not is_secret(key)
