"""A backend with PyJWT: creates an account with a role, changes it, and makes a link to it.

    pip install pyjwt cryptography
    postern applications add renewals --server gateway --server identity \
        --method 'postern.gateway.v1.BackendAccounts/*'
    POSTERN_ACCOUNT_MANAGERS=renewals docker/up.sh      # again: a setting counts from a start
    POSTERN_URL=http://127.0.0.1:7480 python backend_accounts.py \
        .postern/keys/applications/renewals.k1.key
"""
import base64, hashlib, json, os, sys, time, urllib.error, urllib.request, uuid
from pathlib import Path

import jwt

# The fields after the call, in the order of their numbers. Those with a star have presence.
FIELDS = {
    "CreateAccount": ["email", "emailVerified", "phoneNumber", "password", "displayName",
                      "mailLanguage", "roles", "claimsJson", "sendVerification"],
    "ChangeAccount": ["*email", "emailVerified", "*phoneNumber", "password", "*displayName"],
    "SetAccountClaims": ["roles", "claimsJson", "*baseVersion", "effect"],
    "GetAccountClaims": [],
    "IssueLink": ["purpose", "newEmail"],
    "DeleteManagedAccount": ["wait"],
}

key_file = Path(sys.argv[1])
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

def part(request, field):
    """A field as the token covers it: 0 if it is absent, else 1 and its value."""
    value = request.get(field.lstrip("*"))
    if value is None or not value and not field.startswith("*"):
        return b"\0"
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b"\1" + value.encode()

def call(rpc, request, account_id="", idempotency_key=None):
    """Calls BackendAccounts; a repeat with the same key gets the first answer."""
    method = f"postern.gateway.v1.BackendAccounts/{rpc}"
    head = ["postern accounts v1", account_id, application]
    parts = [p.encode() for p in head] + [part(request, field) for field in FIELDS[rpc]]
    signed = b"".join(len(p).to_bytes(4, "big") + p for p in parts)
    if not idempotency_key and rpc != "GetAccountClaims":
        idempotency_key = str(uuid.uuid4())
    # Two tokens: identity checks the one in the request, the web service and the gateway the other.
    proof = {"accountId": account_id, "actor": application,
             "applicationToken": token(method, signed, idempotency_key)}
    body = json.dumps({"call": proof, **request}).encode()
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

email, create = f"grace-{uuid.uuid4()}@example.org", str(uuid.uuid4())
person = {"email": email, "emailVerified": True, "displayName": "Grace \"ü\"",
          "password": "Correct7Hörse\"", "roles": ["editor"], "claimsJson": "{\"plan\":\"ü\"}"}
made = call("CreateAccount", person, idempotency_key=create)
account = made["account"]["accountId"]
print("created:", made["account"]["emailVerified"])
again = call("CreateAccount", person, idempotency_key=create)
print("repeat is the same:", again["account"]["accountId"] == account)
print("renamed:", call("ChangeAccount", {"displayName": ""}, account)["account"].get("displayName"))
version = call("GetAccountClaims", {}, account)["version"]
call("SetAccountClaims", {"roles": ["admin"], "baseVersion": version,
                          "effect": "CLAIMS_EFFECT_AT_ONCE"}, account)
print("roles:", call("GetAccountClaims", {}, account)["roles"])
link = call("IssueLink", {"purpose": "LINK_PURPOSE_RESET_PASSWORD"}, account)
print("link:", "?token=" in link["url"])
print("deletion:", call("DeleteManagedAccount", {"wait": True}, account)["deletion"]["state"])
