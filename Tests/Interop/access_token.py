"""Verifies an access token offline, with an independent implementation of ES256 (S-01)."""

import base64
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils


def verify(token, jwks):
    """The claims of a token that a key of the set has signed; raises if there is none.

    StopIteration: no key with that id.
    """
    head, body, signature = token.split(".")
    header = json.loads(_decoded(head))
    assert header["alg"] == "ES256" and header["typ"] == "at+jwt", header
    assert not {"jwk", "jku", "x5u", "x5c", "crit"} & header.keys(), header
    key = next(key for key in json.loads(jwks)["keys"] if key["kid"] == header["kid"])
    assert (key["kty"], key["crv"]) == ("EC", "P-256"), key
    assert "d" not in key, "the key set gives a private key away"
    raw = _decoded(signature)
    assert len(raw) == 64, "a JWS signature has 64 bytes, not DER"
    public = ec.EllipticCurvePublicNumbers(
        _number(_decoded(key["x"])), _number(_decoded(key["y"])), ec.SECP256R1()).public_key()
    public.verify(
        utils.encode_dss_signature(_number(raw[:32]), _number(raw[32:])),
        f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    return json.loads(_decoded(body))


def _decoded(text):
    assert "=" not in text, "padding in a JWS"
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(raw):
    return int.from_bytes(raw, "big")
