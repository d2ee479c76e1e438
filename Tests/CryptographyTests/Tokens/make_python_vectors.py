"""Writes PythonTokenVectors.swift: tokens that another implementation has signed (the PyPI package
`cryptography`, and Python's own json, hmac and base64), good ones and hostile ones.

    python3 make_python_vectors.py > PythonTokenVectors.swift

ECDSA draws a number for each signature, so every run writes other tokens; their meaning stays.
"""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def dump(value) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def es256(key, message: bytes) -> bytes:
    r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def token(header: bytes, payload: bytes, sign) -> str:
    message = f"{b64(header)}.{b64(payload)}"
    return f"{message}.{b64(sign(message.encode()))}"


# Fixed private numbers, so that the public keys stay the same from run to run.
key = ec.derive_private_key(0x1F2E3D4C5B6A79880102030405060708090A0B0C0D0E0F101112131415161718, ec.SECP256R1())
stranger = ec.derive_private_key(0x5A5A5A5A5B6A79880102030405060708090A0B0C0D0E0F101112131415161718, ec.SECP256R1())
numbers = key.public_key().public_numbers()
x, y = (b64(n.to_bytes(32, "big")) for n in (numbers.x, numbers.y))
kid = b64(hashlib.sha256(f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'.encode()).digest())
pem = key.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
keys = {"keys": [{"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid, "use": "sig", "alg": "ES256"}]}

header = {"alg": "ES256", "typ": "at+jwt", "kid": kid}
payload = {
    "iss": "https://auth.example.org", "sub": "acc_0123456789abc", "aud": "apps", "exp": 2000000600,
    "iat": 2000000000, "sid": "ses_0123456789abc", "amr": ["pwd"], "auth_time": 1999999990, "jti": "t1",
}
ours = lambda message: es256(key, message)
theirs = lambda message: es256(stranger, message)
mac = lambda secret: lambda message: hmac.new(secret, message, hashlib.sha256).digest()
point = key.public_key().public_bytes(
    serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
der = lambda message: key.sign(message, ec.ECDSA(hashes.SHA256()))
sha384 = lambda message: (
    lambda rs: rs[0].to_bytes(32, "big") + rs[1].to_bytes(32, "big")
)(utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA384()))))

vectors = [
    ("plain", token(dump(header), dump(payload), ours), None),
    ("other order and spaces", token(
        json.dumps(dict(reversed(header.items())), indent=1).encode(),
        json.dumps(dict(reversed(payload.items())), indent=4).encode(), ours), None),
    ("several audiences", token(
        dump(header), dump({**payload, "aud": ["web", "apps"]}), ours), None),
    ("claims of others", token(dump(header), dump(
        {**payload, "name": "Ada \"é\" 😀", "nested": {"a": [1, 2.5, None, True]}}), ours), None),
    ("escapes", token(dump(header), json.dumps({**payload, "name": "Ada é 😀"}).encode(), ours), None),
    ("alg none, no signature", token(dump({**header, "alg": "none"}), dump(payload), lambda m: b""), "algorithm"),
    ("alg none, signed", token(dump({**header, "alg": "none"}), dump(payload), ours), "algorithm"),
    ("HS256 with the public key's PEM", token(
        dump({**header, "alg": "HS256"}), dump(payload), mac(pem)), "algorithm"),
    ("HS256 with the public point", token(
        dump({**header, "alg": "HS256"}), dump(payload), mac(point)), "algorithm"),
    ("ES256 named, HMAC made", token(dump(header), dump(payload), mac(pem)), "signature"),
    ("ES384 named", token(dump({**header, "alg": "ES384"}), dump(payload), sha384), "algorithm"),
    ("SHA-384 under the name ES256", token(dump(header), dump(payload), sha384), "signature"),
    ("a stranger's signature", token(dump(header), dump(payload), theirs), "signature"),
    ("a signature in DER", token(dump(header), dump(payload), der), "signature"),
    ("a plain JWT", token(dump({**header, "typ": "JWT"}), dump(payload), ours), "type"),
    ("no typ", token(dump({"alg": "ES256", "kid": kid}), dump(payload), ours), "type"),
    ("another typ", token(dump({**header, "typ": "verify+jwt"}), dump(payload), ours), "type"),
    ("no kid", token(dump({"alg": "ES256", "typ": "at+jwt"}), dump(payload), ours), "unknown-key"),
    ("an odd kid", token(dump({**header, "kid": "../../etc/passwd"}), dump(payload), ours), "unknown-key"),
    ("kid no text", token(dump({**header, "kid": 1}), dump(payload), ours), "unknown-key"),
    ("its own jwk", token(dump({**header, "jwk": keys["keys"][0]}), dump(payload), theirs), "own-key"),
    ("a jku", token(dump({**header, "jku": "https://evil.example/"}), dump(payload), theirs), "own-key"),
    ("an x5u", token(dump({**header, "x5u": "https://evil.example/"}), dump(payload), theirs), "own-key"),
    ("an x5c", token(dump({**header, "x5c": ["AAAA"]}), dump(payload), theirs), "own-key"),
    ("crit", token(dump({**header, "crit": ["exp"]}), dump(payload), ours), "critical"),
    ("alg twice", token(
        b'{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"' + kid.encode() + b'"}', dump(payload), ours), "malformed"),
    ("sub twice", token(
        dump(header), dump(payload)[:-1] + b',"sub":"acc_root"}', ours), "claims"),
    ("header no object", token(b'["ES256"]', dump(payload), ours), "malformed"),
    ("payload no object", token(dump(header), b'"x"', ours), "claims"),
    ("payload not UTF-8", token(
        dump(header), dump(payload).replace(b"pwd", b"\xff\xfe\xfd"), ours), "claims"),
    ("exp a text", token(dump(header), dump({**payload, "exp": "2000000600"}), ours), "claims"),
    ("exp a fraction", token(dump(header), dump({**payload, "exp": 2000000600.5}), ours), "claims"),
    ("exp beyond all time", token(dump(header), dump({**payload, "exp": 2**63 - 1}), ours), "claims"),
    ("exp negative", token(dump(header), dump({**payload, "exp": -1}), ours), "claims"),
    ("amr a text", token(dump(header), dump({**payload, "amr": "pwd"}), ours), "claims"),
    ("aud with a number", token(dump(header), dump({**payload, "aud": ["apps", 1]}), ours), "claims"),
    ("another issuer", token(
        dump(header), dump({**payload, "iss": "https://auth.example.org/"}), ours), "issuer"),
    ("another audience", token(dump(header), dump({**payload, "aud": "app"}), ours), "audience"),
    ("nobody's", token(dump(header), dump({**payload, "aud": []}), ours), "audience"),
    ("long past", token(dump(header), dump({**payload, "exp": 1000}), ours), "expired"),
    ("too long", token(dump(header), dump({**payload, "name": "x" * 4000}), ours), "too-long"),
] + [
    (f"without {name}", token(
        dump(header), dump({k: v for k, v in payload.items() if k != name}), ours), "claims")
    for name in ("iss", "sub", "aud", "exp", "iat")
]

print("// Made by make_python_vectors.py; do not edit.")
print("// swift-format-ignore-file")
print()
print("/// Tokens that another implementation has signed, with the refusal that each must meet.")
print("enum PythonTokenVectors {")
print(f'    static let keySet = #"{json.dumps(keys, separators=(",", ":"))}"#')
print("    /// What it is, the token, and the refusal's raw value; nil for a good one.")
print("    static let tokens: [(String, String, String?)] = [")
for name, text, refusal in vectors:
    print(f'        ("{name}",')
    print(f'            "{text}",')
    print(f'            {"nil" if refusal is None else chr(34) + refusal + chr(34)}),')
print("    ]")
print("}")
