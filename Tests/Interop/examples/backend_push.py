"""A backend with PyJWT: pushes a message to the devices of an account.

    pip install pyjwt cryptography
    postern applications add renewals --server gateway --server identity \
        --method 'postern.gateway.v1.BackendPush/*'
    POSTERN_PUSH_SENDERS=renewals docker/up.sh      # again: a setting counts from a start
    POSTERN_URL=http://127.0.0.1:7480 python backend_push.py \
        .postern/keys/applications/renewals.k1.key acc_…
"""
import base64, hashlib, json, os, sys, time, urllib.error, urllib.request, uuid
from pathlib import Path

import jwt

METHOD = "postern.gateway.v1.BackendPush/SendPushMessage"
# The fields after the call, in the order of their numbers.
FIELDS = ["title", "body", "data", "collapseKey", "expiresAtMs"]

key_file, account_id = Path(sys.argv[1]), sys.argv[2]
key_id = key_file.stem  # "renewals.k1"
application, key, url = key_id.split(".")[0], key_file.read_text(), os.environ["POSTERN_URL"]

def token(signed, idempotency_key):
    """A token for one call; it names the hash of what it may be used for."""
    digest, now = hashlib.sha256(signed).digest(), int(time.time())
    claims = {"iss": application, "sub": application, "aud": url, "iat": now, "exp": now + 60,
              "method": METHOD, "bh": base64.urlsafe_b64encode(digest).decode().rstrip("="),
              "idempotency_key": idempotency_key}
    headers = {"kid": key_id, "typ": "client-authentication+jwt"}
    return jwt.encode(claims, key, "EdDSA", headers=headers)

def part(value):
    """A field as the token covers it: 0 if it is absent, else 1 and its value."""
    if not value:
        return b"\0"
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b"\1" + value.encode()

def push(message, idempotency_key):
    """Sends a message; a repeat with the same key sends nothing and gets the first answer."""
    head = ["postern push v1", account_id, application]
    parts = [p.encode() for p in head] + [part(message.get(field)) for field in FIELDS]
    signed = b"".join(len(p).to_bytes(4, "big") + p for p in parts)
    # Two tokens: identity checks the one in the request, the web service and the gateway the other.
    call = {"accountId": account_id, "actor": application,
            "applicationToken": token(signed, idempotency_key)}
    body = json.dumps({"call": call, **message}).encode()
    headers = {"content-type": "application/json", "idempotency-key": idempotency_key,
               "x-postern-app": token(body, idempotency_key)}
    post = urllib.request.Request(f"{url}/{METHOD}", body, headers)
    try:
        with urllib.request.urlopen(post, timeout=10) as answer:
            return json.load(answer).get("messageIds", [])
    except urllib.error.HTTPError as error:
        sys.exit(error.read().decode())

message = {"title": "Your order", "body": "It is on its \"way\": ü", "collapseKey": "order-7",
           "data": [{"key": "order", "value": "7 \"ü\""}],
           "expiresAtMs": str(int(time.time() * 1_000) + 3_600_000)}
order = str(uuid.uuid4())
first = push(message, order)
print("devices:", len(first))
print("repeat is the same:", push(message, order) == first)
