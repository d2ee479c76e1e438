"""Makes random responses of passkeys and their mutations, and has two libraries judge them.

    python passkeys.py SEED COUNT

Prints a JSON object a line: what was done, the response, what a server knows of the passkey, and what
PyPI's webauthn and fido2 say: an empty text where they accept, otherwise their error. The same seed
gives the same responses. PasskeyComparisonTests judges them too, and compares.
"""

import base64
import hashlib
import json
import random
import sys

import fido2.server
import fido2.webauthn
import webauthn
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from fido2.cose import CoseKey

ORIGIN = "https://example.org"
RP_ID = "example.org"
UP, UV, BE, BS, AT, ED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def encoded(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sha256(raw):
    return hashlib.sha256(raw).digest()


class CBOR:
    """Encodes values, each in a form that a subclass may spoil."""

    def head(self, kind, number):
        if number < 24:
            return bytes([kind << 5 | number])
        for more, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if number < 1 << 8 * width:
                return bytes([kind << 5 | more]) + number.to_bytes(width, "big")
        raise ValueError(number)

    def members(self, value):
        return list(value.items())

    def value(self, value):
        if isinstance(value, bool):
            return b"\xf5" if value else b"\xf4"
        if isinstance(value, float):
            return b"\xf9\x3c\x00"
        if isinstance(value, int):
            return self.head(0, value) if value >= 0 else self.head(1, -1 - value)
        if isinstance(value, bytes):
            return self.head(2, len(value)) + value
        if isinstance(value, str):
            return self.head(3, len(value.encode())) + value.encode()
        if isinstance(value, list):
            return self.head(4, len(value)) + b"".join(map(self.value, value))
        members = self.members(value)
        return self.head(5, len(members)) + b"".join(
            self.value(key) + self.value(item) for key, item in members)


class LongCBOR(CBOR):
    def head(self, kind, number):
        if number < 24:
            return bytes([kind << 5 | 24, number])
        return super().head(kind, number)


class IndefiniteCBOR(CBOR):
    def value(self, value):
        if isinstance(value, dict):
            return b"\xbf" + b"".join(
                self.value(key) + self.value(item) for key, item in value.items()) + b"\xff"
        return super().value(value)


class ReversedCBOR(CBOR):
    def members(self, value):
        return list(value.items())[::-1]


class RepeatedCBOR(CBOR):
    def members(self, value):
        return list(value.items()) + list(value.items())[-1:]


class TaggedCBOR(CBOR):
    def value(self, value):
        return b"\xc1" + super().value(value) if isinstance(value, int) else super().value(value)


# The two smallest Mersenne primes that give 2,048 bits or more, as the W3C's own vectors use them.
P, Q, E = 2**1279 - 1, 2**2203 - 1, 65537
D = rsa.rsa_recover_private_exponent(E, P, Q)
RSA = rsa.RSAPrivateNumbers(
    P, Q, D, rsa.rsa_crt_dmp1(D, P), rsa.rsa_crt_dmq1(D, Q), rsa.rsa_crt_iqmp(P, Q),
    rsa.RSAPublicNumbers(E, P * Q)).private_key(unsafe_skip_rsa_key_validation=True)


class Passkey:
    def __init__(self, draw):
        self.id = draw.randbytes(draw.choice([16, 20, 32, 32, 64, 255, 256, 1023]))
        self.algorithm = draw.choice([-7, -7, -8, -257])
        if self.algorithm == -7:
            secret = draw.randrange(1, P256_ORDER)
            self.key = ec.derive_private_key(secret, ec.SECP256R1())
            point = self.key.public_key().public_numbers()
            self.cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"),
                         -3: point.y.to_bytes(32, "big")}
        elif self.algorithm == -8:
            self.key = ed25519.Ed25519PrivateKey.from_private_bytes(draw.randbytes(32))
            self.cose = {1: 1, 3: -8, -1: 6, -2: self.key.public_key().public_bytes_raw()}
        else:
            self.key = RSA
            self.cose = {1: 3, 3: -257, -1: (P * Q).to_bytes(436, "big"), -2: b"\x01\x00\x01"}

    def sign(self, message):
        if self.algorithm == -7:
            return self.key.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        if self.algorithm == -8:
            return self.key.sign(message)
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())


class Case:
    """A response that is right until a mutation changes its parts, or its texts in the end."""

    def __init__(self, draw, kind):
        self.draw, self.kind = draw, kind
        self.passkey = Passkey(draw)
        self.challenge = draw.randbytes(draw.choice([16, 32, 40, 64]))
        self.client = {
            "type": "webauthn.create" if kind == "registration" else "webauthn.get",
            "challenge": encoded(self.challenge), "origin": ORIGIN, "crossOrigin": False}
        if draw.random() < 0.2:
            del self.client["crossOrigin"]
        self.client_data = None
        self.rp_id = RP_ID
        self.flags = UP | UV | draw.choice([0, BE, BE | BS])
        self.count = draw.choice([0, 0, 1, 7, 2**32 - 1])
        self.known_count = 0
        self.id = self.passkey.id
        self.credential_id = None
        self.cose = dict(self.passkey.cose)
        self.aaguid = draw.choice([bytes(16), draw.randbytes(16)])
        self.extensions = draw.choice([None, None, {}, {"credProtect": 2, "hmac-secret": True}])
        self.rest = b""
        self.has_credential = kind == "registration"
        self.format, self.statement = "none", {}
        self.outer = self.inner = CBOR()
        self.user_handle = ""
        self.change_signature = lambda signature: signature
        self.change_texts = lambda texts: None

    def client_bytes(self):
        if self.client_data is not None:
            return self.client_data
        return json.dumps(self.client, separators=(",", ":")).encode()

    def authenticator_data(self):
        flags = self.flags | (AT if self.has_credential else 0)
        flags |= ED if self.extensions is not None else 0
        data = sha256(self.rp_id.encode()) + bytes([flags]) + self.count.to_bytes(4, "big")
        if self.has_credential:
            name = self.id if self.credential_id is None else self.credential_id
            data += self.aaguid + len(name).to_bytes(2, "big") + name
            data += self.cose if isinstance(self.cose, bytes) else self.inner.value(self.cose)
        if self.extensions is not None:
            data += self.inner.value(self.extensions)
        return data + self.rest

    def texts(self):
        client, data = self.client_bytes(), self.authenticator_data()
        texts = {"id": encoded(self.id), "rawId": encoded(self.id), "type": "public-key",
                 "clientDataJSON": encoded(client)}
        signature = self.passkey.sign(data + sha256(client))
        if self.kind == "registration":
            statement = self.statement
            if self.format == "packed":
                statement = {"alg": self.passkey.algorithm, "sig": signature}
            texts["attestationObject"] = encoded(self.outer.value(
                {"fmt": self.format, "attStmt": statement, "authData": data}))
        else:
            texts["authenticatorData"] = encoded(data)
            texts["signature"] = encoded(self.change_signature(signature))
            texts["userHandle"] = self.user_handle
        self.change_texts(texts)
        return texts


# Mutations, by name. Each changes a case.

def client(**members):
    def change(case):
        case.client.update(members)
    return change


def origin(text):
    return client(origin=text)


def client_bytes(make):
    def change(case):
        case.client_data = make(case, case.client_bytes())
    return change


def attribute(**values):
    def change(case):
        for name, value in values.items():
            setattr(case, name, value(case) if callable(value) else value)
    return change


def cose(make):
    def change(case):
        case.cose = make(case, case.cose)
    return change


def without(key, label):
    return {name: value for name, value in key.items() if name != label}


def texts(make):
    def change(case):
        case.change_texts = lambda found: make(case, found)
    return change


def spoiled(name):
    """Some bytes of a part, changed at random after all is signed."""
    def change(case):
        def spoil(found):
            raw = bytearray(decoded(found[name]))
            for _ in range(case.draw.choice([1, 1, 1, 2, 3])):
                place = case.draw.randrange(len(raw)) if raw else 0
                way = case.draw.randrange(4)
                if way == 0 and raw:
                    raw[place] ^= 1 << case.draw.randrange(8)
                elif way == 1:
                    raw.insert(place, case.draw.randrange(256))
                elif way == 2 and raw:
                    del raw[place]
                else:
                    del raw[place:]
            found[name] = encoded(bytes(raw))
            if name == "id":
                found["rawId"] = found["id"]
        case.change_texts = spoil
    return change


def spoiled_text(name):
    """A character of a text of Base64url, changed, added or removed."""
    def change(case):
        def spoil(found):
            text = found[name]
            place = case.draw.randrange(len(text) + 1)
            more = case.draw.choice("AZaz09-_+/= .")
            found[name] = text[:place] + more + text[place + case.draw.randrange(2):]
        case.change_texts = spoil
    return change


def flags(case):
    case.flags = case.draw.randrange(64) & ~0x02 & ~0x20


def identifier(length):
    return attribute(id=lambda case: case.draw.randbytes(length))


def big(bits):
    return ((1 << bits - 1) | 1).to_bytes((bits + 7) // 8, "big")


BOTH = {
    "nothing": lambda case: None,
    "type.none": client(type=""), "type.payment": client(type="payment.get"),
    "type.create": client(type="webauthn.create"), "type.get": client(type="webauthn.get"),
    "challenge.none": client(challenge=""),
    "challenge.other": lambda case: case.client.update(challenge=encoded(case.draw.randbytes(32))),
    "challenge.padded": lambda case: case.client.update(
        challenge=base64.urlsafe_b64encode(case.challenge).decode() + "="),
    "origin.port": origin(ORIGIN + ":8443"), "origin.slash": origin(ORIGIN + "/"),
    "origin.suffix": origin("https://example.org.evil.test"), "origin.null": origin("null"),
    "origin.upper": origin("https://Example.org"), "origin.plain": origin("http://example.org"),
    "origin.below": origin("https://app.example.org"),
    "frame.cross": client(crossOrigin=True), "frame.text": client(crossOrigin="false"),
    "frame.null": client(crossOrigin=None), "frame.top": client(topOrigin="https://evil.test"),
    "client.more": client(other="x", list=[1, 2.5, None, {"a": "ü"}]),
    "client.binding": client(tokenBinding={"status": "present", "id": "x"}),
    "client.mark": client_bytes(lambda case, raw: b"\xef\xbb\xbf" + raw),
    "client.space": client_bytes(lambda case, raw: json.dumps(case.client, indent=1).encode()),
    "client.twice": client_bytes(lambda case, raw: raw[:-1] + b',"origin":"%s"}' % ORIGIN.encode()),
    "client.rest": client_bytes(lambda case, raw: raw + b"{}"),
    "client.nul": client_bytes(lambda case, raw: raw[:-1] + b',"x":"\\u0000"}'),
    "client.surrogate": client_bytes(lambda case, raw: raw[:-1] + b',"x":"\\ud800"}'),
    "client.number": client_bytes(lambda case, raw: raw[:-1] + b',"x":1e999}'),
    "client.nan": client_bytes(lambda case, raw: raw[:-1] + b',"x":NaN}'),
    "client.deep": client_bytes(lambda case, raw: raw[:-1] + b',"x":' + b"[" * 9 + b"]" * 9 + b"}"),
    "client.long": client(padding="x" * 4096),
    "client.utf16": client_bytes(lambda case, raw: raw.decode().encode("utf-16")),
    "client.array": client_bytes(lambda case, raw: b"[]"),
    "rp-id": attribute(rp_id="evil.test"), "rp-id.below": attribute(rp_id="app.example.org"),
    "flags": flags, "flags.reserved": lambda case: setattr(case, "flags", case.flags | 0x22),
    "data.rest": attribute(rest=b"\x00"), "data.map": attribute(rest=b"\xa0"),
    "extensions.array": attribute(extensions=lambda case: []),
    "extensions.float": attribute(extensions=lambda case: {"x": 1.0}),
    "id.15": identifier(15), "id.16": identifier(16), "id.1023": identifier(1023),
    "id.1024": identifier(1024),
    "id.other": texts(lambda case, found: found.update(id=encoded(b"x" * 32))),
    "credential.type": texts(lambda case, found: found.update(type="password")),
    "spoiled.clientDataJSON": spoiled("clientDataJSON"), "spoiled.id": spoiled("id"),
    "text.id": spoiled_text("id"), "text.rawId": spoiled_text("rawId"),
    "text.clientDataJSON": spoiled_text("clientDataJSON"),
}
REGISTRATION = {
    "attestation.self": attribute(format="packed"),
    "attestation.statement": attribute(statement=lambda case: {"sig": b"x"}),
    "attestation.format": attribute(format="what-is-to-come"),
    "cbor.long.outer": attribute(outer=LongCBOR()), "cbor.long.inner": attribute(inner=LongCBOR()),
    "cbor.indefinite.outer": attribute(outer=IndefiniteCBOR()),
    "cbor.indefinite.inner": attribute(inner=IndefiniteCBOR()),
    "cbor.reversed": attribute(outer=ReversedCBOR(), inner=ReversedCBOR()),
    "cbor.repeated.outer": attribute(outer=RepeatedCBOR()),
    "cbor.repeated.inner": attribute(inner=RepeatedCBOR()),
    "cbor.tagged": attribute(inner=TaggedCBOR()),
    "cbor.rest": texts(lambda case, found: found.update(
        attestationObject=encoded(decoded(found["attestationObject"]) + b"\x00"))),
    "credential.none": attribute(has_credential=False),
    "credential.id": attribute(credential_id=b"y" * 32),
    "key.more": cose(lambda case, key: key | {2: b"kid"}),
    "key.private": cose(lambda case, key: key | {-4: bytes(32)}),
    "key.no-kind": cose(lambda case, key: without(key, 1)),
    "key.no-algorithm": cose(lambda case, key: without(key, 3)),
    "key.no-x": cose(lambda case, key: without(key, -2)),
    "key.kind": cose(lambda case, key: key | {1: case.draw.randrange(6)}),
    "key.algorithm": cose(lambda case, key: key | {3: case.draw.choice(
        [-7, -8, -257, -35, -36, -37, -47, -53, -258, -65535, 0, 1])}),
    "key.curve": cose(lambda case, key: key | {-1: case.draw.choice([1, 2, 3, 6, 7, 8])}),
    "key.off-curve": cose(lambda case, key: {1: 2, 3: -7, -1: 1, -2: b"\1" * 32, -3: b"\1" * 32}),
    "key.compressed": cose(lambda case, key: {1: 2, 3: -7, -1: 1, -2: b"\1" * 32, -3: True}),
    "key.short-x": cose(lambda case, key: {1: 2, 3: -7, -1: 1, -2: b"\1" * 31, -3: b"\1" * 32}),
    "key.small-order": cose(lambda case, key: {1: 1, 3: -8, -1: 6, -2: bytes(32)}),
    "key.rsa-1024": cose(lambda case, key: {1: 3, 3: -257, -1: big(1024), -2: b"\1\0\1"}),
    "key.rsa-2048": cose(lambda case, key: {1: 3, 3: -257, -1: big(2048), -2: b"\1\0\1"}),
    "key.rsa-4096": cose(lambda case, key: {1: 3, 3: -257, -1: big(4096), -2: b"\1\0\1"}),
    "key.rsa-8192": cose(lambda case, key: {1: 3, 3: -257, -1: big(8192), -2: b"\1\0\1"}),
    "key.rsa-exponent": cose(lambda case, key: {1: 3, 3: -257, -1: big(2048), -2: b"\1"}),
    "key.bytes": cose(lambda case, key: case.draw.randbytes(40)),
    "spoiled.attestationObject": spoiled("attestationObject"),
    "text.attestationObject": spoiled_text("attestationObject"),
}


def high_s(case):
    def change(signature):
        if case.passkey.algorithm != -7:
            return signature
        r, s = utils.decode_dss_signature(signature)
        return utils.encode_dss_signature(r, P256_ORDER - s)
    case.change_signature = change


def signature(make):
    def change(case):
        case.change_signature = lambda found: make(case, found)
    return change


ASSERTION = {
    "count.equal": lambda case: setattr(case, "known_count", case.count),
    "count.behind": attribute(known_count=lambda case: case.count // 2 + 1, count=lambda case: 1),
    "handle": attribute(user_handle=encoded(b"\xa1" * 32)),
    "handle.other": attribute(user_handle=encoded(b"\xa2" * 32)),
    "signature.high-s": high_s,
    "signature.none": signature(lambda case, found: b""),
    "signature.rest": signature(lambda case, found: found + b"\x00"),
    "signature.zeros": signature(lambda case, found: bytes(len(found))),
    "signature.long-length": signature(
        lambda case, found: found[:1] + b"\x81" + found[1:]),
    "signature.other-key": signature(lambda case, found: Passkey(case.draw).sign(b"x")),
    "credential": attribute(has_credential=True),
    "spoiled.authenticatorData": spoiled("authenticatorData"),
    "spoiled.signature": spoiled("signature"),
    "text.authenticatorData": spoiled_text("authenticatorData"),
    "text.signature": spoiled_text("signature"),
}


# The libraries.

def judged(check):
    """Empty where the library accepts, otherwise its error."""
    try:
        check()
        return ""
    except Exception as error:  # each library has its own, and lets others through
        return f"{type(error).__name__}: {error}"


def credential(found):
    names = ("clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle")
    response = {name: found[name] for name in names if found.get(name)}
    return {"id": found["id"], "rawId": found["rawId"], "type": found["type"],
            "response": response, "clientExtensionResults": {}}


def by_webauthn(case, found):
    expected = dict(credential=credential(found), expected_challenge=case.challenge,
                    expected_rp_id=RP_ID, expected_origin=ORIGIN, require_user_verification=True)
    if case.kind == "registration":
        return judged(lambda: webauthn.verify_registration_response(**expected))
    return judged(lambda: webauthn.verify_authentication_response(
        **expected, credential_public_key=CBOR().value(case.passkey.cose),
        credential_current_sign_count=case.known_count))


SERVER = fido2.server.Fido2Server(
    fido2.webauthn.PublicKeyCredentialRpEntity(id=RP_ID, name="Example"),
    verify_origin=lambda text: text == ORIGIN)


def by_fido2(case, found):
    state = {"challenge": encoded(case.challenge), "user_verification": "required"}
    if case.kind == "registration":
        return judged(lambda: SERVER.register_complete(state, credential(found)))

    def check():
        known = fido2.webauthn.AttestedCredentialData.create(
            bytes(16), case.id, CoseKey.parse(case.passkey.cose))
        SERVER.authenticate_complete(state, [known], credential(found))
    return judged(check)


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        kind = draw.choice(["registration", "assertion"])
        mutations = BOTH | (REGISTRATION if kind == "registration" else ASSERTION)
        what = draw.choice(["nothing", *mutations, *mutations])
        case = Case(draw, kind)
        mutations[what](case)
        found = case.texts()
        print(json.dumps({
            "kind": kind, "what": what, "challenge": encoded(case.challenge), **found,
            "knownId": encoded(case.id), "knownKey": encoded(CBOR().value(case.passkey.cose)),
            "knownCount": case.known_count, "webauthn": by_webauthn(case, found),
            "fido2": by_fido2(case, found)}))


if __name__ == "__main__":
    main()
