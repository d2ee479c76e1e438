"""One user and one backend over HTTP, the same for every client and protocol (`web_clients`):
reflection, health, sign-up, state, errors with their details, refresh, a backend's stream of
revocations, sign-out."""

import threading
import time
import uuid

import protos
from flow import AUTH, PASSWORD, REASON, expect, fresh_address
from web_clients import SERVING, WebCallFailed
from web_stack import backend_token

REVOCATIONS = "postern.gateway.v1.Verification/WatchRevocations"
ADMIN = "postern.gateway.v1.Admin/ListAccounts"
# A revocation reaches a backend within a second, and a busy machine gets more.
REVOKED_WITHIN = 10.0


class WebFlow:
    """One user with a new client address."""

    def __init__(self, client, stack):
        self.client, self.stack = client, stack
        self.email = f"ada.{uuid.uuid4().hex[:12]}@example.org"
        self.headers = {"x-postern-app": stack.app_key, "x-forwarded-for": fresh_address()}
        self.device = {"device_id": f"d-{uuid.uuid4()}", "platform": "cli", "name": "Ada's laptop"}

    def call(self, method, session=None, headers=None, **fields):
        """Calls a method, in the session if one is given."""
        headers = self.headers | (headers or {})
        if session:
            headers["authorization"] = "Bearer " + session.access_token
        request = protos.method(method)[0](**fields)
        return self.client.call(method, request, headers)

    def auth(self, method, session=None, headers=None, **fields):
        return self.call(AUTH + method, session, headers, **fields)

    def run(self):
        started = time.monotonic()
        for step in (self.reflection, self.sign_up, self.errors, self.refresh, self.sign_out,
                     self.forged_tokens):
            step()
        print(f"  {self.client.name}: {(time.monotonic() - started) * 1000:.0f} ms")

    def failure(self, status, code, act):
        """Expects the call to fail, and returns the error of its details."""
        try:
            act()
        except WebCallFailed as failed:
            expect(failed.status == status, f"{failed} instead of {status}")
            expect(failed.error, f"{failed}: no postern.wire.v1.Error in the details")
            expect(failed.error.code == code, f"{failed} instead of {code}")
            return failed.error
        expect(False, f"answered OK instead of {code}")

    def reflection(self):
        """The methods of apps are listed, the operator's are not."""
        services = self.client.services()
        if services is not None:
            for name in ("postern.gateway.v1.Auth", "grpc.health.v1.Health"):
                expect(name in services, f"{name} is not listed: {services}")
            expect("postern.gateway.v1.Admin" not in services, "Admin is listed")
        health = self.client.health()
        expect(health == SERVING, f"health says {health}")

    def sign_up(self):
        key = {"idempotency-key": uuid.uuid4().hex}
        fields = dict(email=self.email, password=PASSWORD, device=self.device, display_name="Ada")
        answer = self.auth("SignUpWithPassword", headers=key, **fields)
        again = self.auth("SignUpWithPassword", headers=key, **fields)
        expect(again.session.session_id == answer.session.session_id, "the repeated call's session")
        expect(answer.account.email == self.email, "the account has the address")
        expect(answer.session.refresh_token, "there is a refresh token")
        self.session = answer.session
        expect(self.auth("CheckAuthState", self.session).authenticated, "signed in after sign-up")

    def errors(self):
        wrong = dict(email=self.email, password="Wrong7Horse", device=self.device)
        english, german = (
            self.failure("unauthenticated", "auth/invalid-credential", lambda: self.auth(
                "SignInWithPassword", headers={"accept-language": language}, **wrong))
            for language in ("en", "de"))
        expect(english.user_message and german.user_message, "errors have a sentence for users")
        expect(english.user_message != german.user_message, "it is in the user's language")
        weak = self.failure("invalid_argument", "auth/weak-password", lambda: self.auth(
            "SignUpWithPassword", email="other." + self.email, password="short",
            device=self.device))
        expect(any(found.field == "password" and found.rule == "length"
                   for found in weak.violations), f"the rule that the password breaks: {weak}")
        app = self.failure("unauthenticated", "rpc/unauthenticated", lambda: self.auth(
            "CheckAuthState", headers={"x-postern-app": "pk_" + "0" * 32}))
        expect([found.field for found in app.violations] == ["x-postern-app"], f"{app}")
        if not self.client.name.startswith("buf"):  # which knows methods by reflection alone
            self.failure("permission_denied", "rpc/permission-denied", lambda: self.call(ADMIN))

    def refresh(self):
        child = self.auth(
            "RefreshSession", refresh_token=self.session.refresh_token, device=self.device).session
        expect(child.session_id == self.session.session_id, "the same session")
        expect(child.refresh_token != self.session.refresh_token, "another refresh token")
        expect(self.auth("CheckAuthState", child).authenticated, "the new access token is good")
        self.session = child

    def sign_out(self):
        """A backend, which signs its call, receives the revocation of the session."""
        revoked, ready, failure = threading.Event(), threading.Event(), []
        watcher = threading.Thread(target=self._watch, args=(ready, revoked, failure), daemon=True)
        watcher.start()
        expect(ready.wait(REVOKED_WITHIN), f"the stream is complete: {failure}")
        expect(self.auth("SignOut", self.session).ended_sessions == 1, "one session ended")
        expect(revoked.wait(REVOKED_WITHIN), f"the revocation arrives: {failure}")
        watcher.join(REVOKED_WITHIN)
        state = self.auth("CheckAuthState", self.session)
        expect(not state.authenticated, "signed out")
        reason = protos.enum_value(REASON, state.reason)
        expect(reason == "AUTH_STATE_REASON_REVOKED", f"the reason is revoked, not {reason}")

    def _watch(self, ready, revoked, failure):
        request = protos.method(REVOCATIONS)[0]()
        headers = self.headers | {"x-postern-app": self._token(REVOCATIONS)}
        try:
            for item in self.client.items(REVOCATIONS, request, headers):
                if item.WhichOneof("complete"):
                    ready.set()
                if any(one.session_id == self.session.session_id for one in item.revocations):
                    return revoked.set()
        except Exception as error:  # shown by the thread that waits
            failure.append(repr(error))

    def _token(self, method, **claims):
        return backend_token(
            self.stack.endpoints.application, method, self.stack.url, **claims)

    def forged_tokens(self):
        """An app's key, and a token for another method, audience or time, open no stream."""
        request = protos.method(REVOCATIONS)[0]()
        good = self._token(REVOCATIONS)
        head, claims, _ = good.split(".")
        now = int(time.time())
        cases = {
            "an app's key": (self.stack.app_key, "permission_denied"),
            "another method": (self._token(AUTH + "SignOut"), "unauthenticated"),
            "another audience": (backend_token(
                self.stack.endpoints.application, REVOCATIONS, "https://other.example.org"),
                "unauthenticated"),
            "an old token": (self._token(REVOCATIONS, iat=now - 300, exp=now - 240),
                             "unauthenticated"),
            "a long-lived token": (self._token(REVOCATIONS, exp=now + 3_600), "unauthenticated"),
            "another signature": (f"{head}.{claims}.{'A' * 86}", "unauthenticated"),
        }
        for what, (token, status) in cases.items():
            try:
                for _ in self.client.items(
                        REVOCATIONS, request, self.headers | {"x-postern-app": token}):
                    expect(False, f"{what} opened a stream")
            except WebCallFailed as failed:
                expect(failed.status == status, f"{what}: {failed}")
