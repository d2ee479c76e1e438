"""Writes TOTPVectors.swift: the codes of 1,000 secrets and times, two steps to each side, by PyPI's
pyotp and by Debian's oathtool, which must agree, and addresses for authenticator apps, which pyotp
has read again.

    pip install pyotp==2.12.1; apt-get install oathtool
    python3 make_totp_vectors.py > TOTPVectors.swift
"""

import base64
import hashlib
import subprocess
from urllib.parse import quote

import pyotp

STEPS = range(-2, 3)


def secret(number: int) -> bytes:
    """Most have 20 bytes, as ours; imported ones may have 16 to 64."""
    digest = b"".join(
        hashlib.sha256(f"{word} {number}".encode()).digest() for word in ("totp", "more"))
    return digest[: 16 + number % 49 if number % 4 == 0 else 20]


def moment(number: int) -> int:
    """In seconds since 1970, until the year 2096."""
    digest = hashlib.sha256(f"time {number}".encode()).digest()
    return 1_000 + int.from_bytes(digest[:8], "big") % 4_000_000_000


def codes(number: int) -> str:
    app = pyotp.TOTP(base64.b32encode(secret(number)).decode().rstrip("="))
    ours = [app.at(moment(number) + 30 * step) for step in STEPS]
    start = moment(number) + STEPS[0] * 30
    theirs = subprocess.run(
        ["oathtool", "--totp", "-w", str(len(STEPS) - 1), "-N", f"@{start}", secret(number).hex()],
        capture_output=True, check=True, text=True).stdout.split()
    assert ours == theirs, (number, ours, theirs)
    return "".join(ours)


APPS = ["Postern", "Tea & Cake + 1", "100 % #1?", "Aé日本 𝒳", "a:b: c", "<x y=\"z\">/..//", "", "+%20"]
NAMES = [
    "ada@example.org", "ada+phone tag@example.org", "o'brien&sons=1@example.org", "a:b@例え.jp",
    "+4915112345678", "acc_0123456789abc", "%00?secret=AAAA", "é/#",
]
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def uri(app: str, name: str) -> str:
    issuer, account = (quote(text.replace(":", ""), safe="") for text in (app, name))
    label, suffix = (f"{issuer}:{account}", f"&issuer={issuer}") if issuer else (account, "")
    made = f"otpauth://totp/{label}?secret={KEY}{suffix}&algorithm=SHA1&digits=6&period=30"
    read = pyotp.parse_uri(made)
    assert read.name == name.replace(":", ""), made
    assert read.issuer == (app.replace(":", "") or None), made
    assert (read.secret, read.digits, read.interval) == (KEY, 6, 30), made
    assert read.digest == hashlib.sha1 and "+" not in made, made
    return made


def literal(text: str) -> str:
    return '#"' + text + '"#'


def lines(text: str, indent: str, width: int = 76) -> str:
    parts = [text[i : i + width] for i in range(0, len(text), width)] or [""]
    return f"\n{indent}    + ".join(literal(part) for part in parts)


print("// Made by make_totp_vectors.py; do not edit.")
print()
print("/// Codes and addresses of authenticator apps, by other implementations.")
print("enum TOTPVectors {")
print("    /// SHA-256 of the codes of each hundred secrets, in base 16.")
print("    static let hashes = [")
for start in range(0, 1_000, 100):
    text = "".join(codes(number) for number in range(start, start + 100))
    print(f'        "{hashlib.sha256(text.encode()).hexdigest()}",')
print("    ]")
print("    /// The secret of all addresses, in base 32.")
print(f'    static let secret = "{KEY}"')
print("    /// The names of an app and an account, and their address.")
print("    static let addresses: [(app: String, account: String, uri: String)] = [")
for app, name in [(app, NAMES[0]) for app in APPS] + [(APPS[1], name) for name in NAMES[1:]]:
    print("        (")
    print(f"            app: {literal(app)}, account: {literal(name)},")
    print(f"            uri: {lines(uri(app, name), '            ')}")
    print("        ),")
print("    ]")
print("}")
