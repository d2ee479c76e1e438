"""A device with one passkey, for calls by hand: what a browser and an authenticator do.

    call Passkeys/BeginPasskeyAdd '{}' … | python3 authenticator.py http://localhost:7480

Reads the response with the options, and prints the `credential` for the next call. The passkey is
in .postern/passkey.json, in clear. For tests alone: how long its arithmetic takes depends on the
key.
"""

import base64
import hashlib
import json
import secrets
import sys

FILE = ".postern/passkey.json"
# P-256 (FIPS 186-4, D.1.2.3).
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and a != b:
        return None
    slope = (3 * (a[0] ** 2 - 1) * pow(2 * a[1], -1, P) if a == b
             else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def times(number, point=G):
    product = None
    for bit in bin(number)[2:]:
        product = add(product, product)
        product = add(product, point) if bit == "1" else product
    return product


def sign(key, message):
    """ECDSA with SHA-256, in DER."""
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    nonce = secrets.randbelow(N - 1) + 1
    r = times(nonce)[0] % N
    s = pow(nonce, -1, N) * (digest + r * key) % N
    numbers = [n.to_bytes(32, "big").lstrip(b"\0") for n in (r, s)]
    numbers = [b"\0" + n if n[0] > 127 else n for n in numbers]
    der = b"".join(b"\x02" + bytes([len(n)]) + n for n in numbers)
    return b"\x30" + bytes([len(der)]) + der


def text(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def respond(options, origin):
    """The credential, as `PublicKeyCredential.toJSON()` returns it."""
    is_new = "pubKeyCredParams" in options
    if is_new:
        passkey = {"id": text(secrets.token_bytes(32)), "key": secrets.randbelow(N - 1) + 1,
                   "count": 0, "rp": options["rp"]["id"], "user": options["user"]["id"]}
    else:
        with open(FILE) as file:
            passkey = json.load(file)
        passkey["count"] += 1
    client = json.dumps({"type": "webauthn.create" if is_new else "webauthn.get",
                         "challenge": options["challenge"], "origin": origin}).encode()
    # UP, UV, and with a new credential AT.
    flags = 0x45 if is_new else 0x05
    data = hashlib.sha256(passkey["rp"].encode()).digest()
    data += bytes([flags]) + passkey["count"].to_bytes(4, "big")
    response = {"clientDataJSON": text(client)}
    if is_new:
        x, y = (n.to_bytes(32, "big") for n in times(passkey["key"]))
        # AAGUID, id, and {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR.
        data += bytes(16) + b"\0\x20" + base64.urlsafe_b64decode(passkey["id"] + "=")
        data += b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + x + b"\x22\x58\x20" + y
        # {"fmt": "none", "attStmt": {}, "authData": data}
        attestation = b"\xa3cfmtdnonegattStmt\xa0hauthData\x58" + bytes([len(data)]) + data
        response |= {"attestationObject": text(attestation), "transports": ["internal"]}
    else:
        signature = sign(passkey["key"], data + hashlib.sha256(client).digest())
        response |= {"authenticatorData": text(data), "signature": text(signature),
                     "userHandle": passkey["user"]}
    with open(FILE, "w") as file:
        json.dump(passkey, file)
    return {"id": passkey["id"], "rawId": passkey["id"], "type": "public-key", "response": response}


if __name__ == "__main__":
    print(json.dumps(respond(json.load(sys.stdin)["options"], sys.argv[1])))
