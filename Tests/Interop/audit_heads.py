"""Has the heads of audit trails verified by two JOSE libraries that know nothing of ours.

    python audit_heads.py KEYS LINES

KEYS is the output of `postern audit keys -o json`, LINES that of `postern audit watch -o json`.
"""

import base64
import json
import sys
from pathlib import Path

import jwcrypto.jwk
import jwcrypto.jws
import jwt


def claims_by_pyjwt(token, key):
    """Raises for a token that the key has not signed."""
    known = jwt.PyJWK({name: key[name] for name in ("kty", "crv", "x")}, algorithm="EdDSA")
    return jwt.decode(token, known.key, algorithms=["EdDSA"])


def claims_by_jwcrypto(token, key):
    """The same by another library."""
    signed = jwcrypto.jws.JWS()
    signed.allowed_algs = ["EdDSA"]
    signed.deserialize(token)
    signed.verify(jwcrypto.jwk.JWK(**{name: key[name] for name in ("kty", "crv", "x")}))
    return json.loads(signed.payload)


def changed(token):
    """The same signature over another position."""
    head, payload, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    claims["position"] += 1
    text = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"{head}.{text}.{signature}"


def is_refused(verify, token, key):
    try:
        verify(token, key)
    except Exception:  # each library has its own
        return True
    return False


def main(keys_path, lines_path):
    keys = {key["kid"]: key for key in json.loads(Path(keys_path).read_text())}
    heads = 0
    for line in Path(lines_path).read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] != "audit.head":
            continue
        heads += 1
        token = entry["detail"]
        header = jwt.get_unverified_header(token)
        assert header["typ"] == "audit-head+jwt", header
        key = keys[header["kid"]]
        for verify in (claims_by_pyjwt, claims_by_jwcrypto):
            claims = verify(token, key)
            assert claims["iss"] == entry["service"] == key["service"], claims
            assert claims["position"] == entry["attempt"] < entry["position"], claims
            assert len(base64.urlsafe_b64decode(claims["link"] + "=")) == 32, claims
            assert is_refused(verify, changed(token), key)
    assert heads > 0, "no heads"
    print(f"{heads} heads verified")


if __name__ == "__main__":
    main(*sys.argv[1:])
