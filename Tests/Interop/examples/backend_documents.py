"""A backend with PyJWT: writes a document of an account, and reads it.

    pip install pyjwt cryptography
    postern applications add renewals --server gateway --server identity \
        --method 'postern.gateway.v1.BackendDocuments/*'
    POSTERN_DOCUMENT_WRITERS=renewals docker/up.sh      # again: a setting counts from a start
    POSTERN_URL=http://127.0.0.1:7480 python backend_documents.py \
        .postern/keys/applications/renewals.k1.key acc_…
"""
import base64, hashlib, json, os, sys, time, urllib.error, urllib.request, uuid
from pathlib import Path

import jwt

key_file, account_id = Path(sys.argv[1]), sys.argv[2]
key_id = key_file.stem  # "renewals.k1"
application, key, url = key_id.split(".")[0], key_file.read_text(), os.environ["POSTERN_URL"]

def token(method, signed, idempotency_key):
    """A token for one call; it names the hash of what it may be used for."""
    digest, now = hashlib.sha256(signed).digest(), int(time.time())
    claims = {"iss": application, "sub": application, "aud": url, "iat": now, "exp": now + 60,
              "method": method, "bh": base64.urlsafe_b64encode(digest).decode().rstrip("=")}
    if idempotency_key:
        claims["idempotency_key"] = idempotency_key
    headers = {"kid": key_id, "typ": "client-authentication+jwt"}
    return jwt.encode(claims, key, "EdDSA", headers=headers)

def call(rpc, request, *documents, idempotency_key=None):
    """Calls BackendDocuments. Of each document: collection, name, base version, "merge", JSON."""
    method = f"postern.gateway.v1.BackendDocuments/{rpc}"
    parts = ["postern documents v1", account_id, application, *(p for d in documents for p in d)]
    signed = b"".join(len(p.encode()).to_bytes(4, "big") + p.encode() for p in parts)
    # Two tokens: identity checks the one in the request, the web service and the gateway the other.
    proof = token(method, signed, idempotency_key)
    backend = {"accountId": account_id, "actor": application, "applicationToken": proof}
    body = json.dumps({"call": backend, **request}).encode()
    headers = {"content-type": "application/json",
               "x-postern-app": token(method, body, idempotency_key)}
    if idempotency_key:
        headers["idempotency-key"] = idempotency_key
    post = urllib.request.Request(f"{url}/{method}", body, headers)
    try:
        with urllib.request.urlopen(post, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode())

plan = '{"plan":"pro"}'
write = {"collection": "goals", "name": "main", "merge": True, "json": plan}
written = call("WriteAccountDocuments", {"writes": [write]}, ("goals", "main", "", "merge", plan),
               idempotency_key=str(uuid.uuid4()))
print("written:", written["written"][0]["collection"])
goals = {"collection": "goals", "name": "main"}
read = call("ReadAccountDocument", goals, ("goals", "main", "", "", ""))
print("plan:", json.loads(read["document"]["json"])["plan"])
