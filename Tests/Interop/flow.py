"""The flow of one user: sign up, verify the email, sign in, refresh, replay, sign out; and of
another one, who has an authenticator app.

    python flow.py ENDPOINTS.JSON [INBOX]
"""

import sys
import time
import uuid

import pyotp

import access_token
import device_key
import inbox
import protos
from cluster import Endpoints
from postern_client import CallFailed
from session_verifier import InsufficientAuthentication, Refused, SessionVerifier, require

GATEWAY = "postern.gateway.v1."
AUTH = GATEWAY + "Auth/"
DEVICE = {"device_id": "d1", "platform": "cli", "name": "Ada's laptop"}
PASSWORD = "Correct7Horse"
REASON = "postern.gateway.v1.AuthStateReason"


class Mismatch(Exception):
    """The system does not do what the requirements say."""


def expect(claim, what):
    if not claim:
        raise Mismatch(what)


def expect_error(codes, what, act):
    """Expects the call to fail with one of these codes, and returns the error."""
    try:
        act()
    except CallFailed as error:
        expect(error.code in codes, f"{what}: {error.code} instead of {' or '.join(codes)}")
        expect(error.response.error.user_message, f"{what}: no user message")
        return error
    raise Mismatch(f"{what}: answered OK instead of {' or '.join(codes)}")


def fresh_address():
    """A random address for benchmarks (RFC 2544), so that runs do not share a limit."""
    return ".".join(map(str, (198, 18, *uuid.uuid4().bytes[:2])))


class Flow:
    """One user with a new client address."""

    def __init__(self, endpoints, mails):
        self.endpoints, self.mails = endpoints, mails
        self.gateway = endpoints.connect("gateway")
        self.email = f"ada.{uuid.uuid4().hex[:12]}@example.org"
        self.address = fresh_address()

    def call(self, method, key=None, session=None, **fields):
        """Calls a method, of Auth if it names no service, in the session if one is given."""
        metadata = {"client-address": self.address, "idempotency-key": key or uuid.uuid4().hex}
        if session:
            metadata["authorization"] = "Bearer " + session.access_token
        prefix = GATEWAY if "/" in method else AUTH
        return self.gateway.call(prefix + method, metadata=metadata, **fields)

    def run(self):
        steps = [self.sign_up, self.repeat_sign_up, self.verify_offline, self.verify_email,
                 self.sign_in, self.second_factor, self.refresh, self.replay, self.bound,
                 self.sign_out]
        for step in steps:
            started = time.monotonic()
            step()
            print(f"  {step.__doc__} ({(time.monotonic() - started) * 1000:.0f} ms)")

    def state(self, session):
        return self.call("CheckAuthState", session=session)

    def sign_up(self):
        """G-02: sign-up returns an account and a session"""
        self.key = uuid.uuid4().hex
        self.sign_up_fields = dict(
            email=self.email, password=PASSWORD, device=DEVICE, display_name="Ada")
        answer = self.call("SignUpWithPassword", self.key, **self.sign_up_fields)
        self.account, self.session = answer.account, answer.session
        expect(answer.account.account_id.startswith("acc_"), "the account's id is acc_…")
        expect(answer.session.session_id.startswith("ses_"), "the session's id is ses_…")
        expect(answer.account.email == self.email, "the account has the address")
        expect(not answer.account.email_verified, "the address is not verified yet")
        expect(answer.account.display_name == "Ada", "the account has the name")
        now_ms = time.time() * 1000
        expect(abs(answer.account.created_at_ms - now_ms) < 60_000, "created now")
        expect(answer.session.access_expires_at_ms > now_ms, "the token expires later")
        state = self.state(self.session)
        expect(state.authenticated, "G-01: signed in after sign-up")
        expect(len(state.required_actions) == 1, "G-01: the required action is to verify the email")

    def repeat_sign_up(self):
        """G-25: a repeat gets the first response; another body and a taken address are rejected"""
        again = self.call("SignUpWithPassword", self.key, **self.sign_up_fields)
        expect(again.account.account_id == self.account.account_id, "the same account")
        expect(again.session.session_id == self.session.session_id, "the same session")
        expect(again.session.refresh_token == self.session.refresh_token, "the same token")
        other = dict(self.sign_up_fields, email="other." + self.email)
        expect_error(["auth/idempotency-key-reused"], "another body under the same key",
                     lambda: self.call("SignUpWithPassword", self.key, **other))
        # An address may make 3 sign-ups an hour, and this would be the fourth.
        self.address = fresh_address()
        expect_error(["auth/email-already-in-use"], "a taken address",
                     lambda: self.call("SignUpWithPassword", **self.sign_up_fields))

    def verify_offline(self):
        """S-01: the access token verifies offline against the key set"""
        jwks = self.gateway.call(GATEWAY + "Verification/GetKeySet").jwks
        claims = access_token.verify(self.session.access_token, jwks)
        expect(claims["sub"] == self.account.account_id, "sub is the account")
        expect(claims["sid"] == self.session.session_id, "sid is the session")
        expect("pwd" in claims["amr"], "amr says password")
        expect(claims["acr"] == "aal1", "acr says that it is one proof")
        expect(claims["exp"] > time.time(), "exp is in the future")
        expect(claims["auth_time"] <= time.time() + 60, "auth_time is in the past")
        token = self.session.access_token
        cut = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")
        forged = type(self.session)(access_token=cut)
        expect(not self.state(forged).authenticated, "a token with another signature is rejected")
        self.verifier = SessionVerifier(lambda: self.endpoints.connect("gateway"))
        self.verifier.start()
        expect(self.verifier.verify(self.session.access_token) == claims, "the verifier agrees")
        require(claims, "aal1", max_age=300)
        try:
            require(claims, "aal2", max_age=300)
            expect(False, "a session of one proof is not enough")
        except InsufficientAuthentication as error:
            expect('acr_values="aal2", max_age="300"' in error.challenge, "the challenge of RFC 9470")
        head, body, signature = self.session.access_token.split(".")
        for forged in [f"{head}.{body}.{'A' * 86}", f"{head}.{body}.", f"{body}.{head}.{signature}"]:
            expect(not self.is_good_offline(forged), "a forged token is rejected offline")

    def is_good_offline(self, token):
        try:
            return bool(self.verifier.verify(token))
        except Refused:
            return False

    def verify_email(self):
        """G-12: the mailed link verifies the address"""
        token = inbox.link_token(inbox.wait_for_mail(self.mails, self.email, "token="))
        expect_error(["auth/invalid-link"], "a link with one character changed",
                     lambda: self.call("VerifyEmail", session=self.session,
                                       token=token[:-1] + ("a" if token[-1] != "a" else "b")))
        answer = self.call("VerifyEmail", token=token, session=self.session,
                           device=DEVICE)
        expect(answer.account.email_verified, "the address is verified")
        expect_error(["auth/invalid-link"], "a used link",
                     lambda: self.call("VerifyEmail", token=token,
                                       session=self.session))
        expect(not self.state(self.session).required_actions, "no action is required")

    def sign_in(self):
        """G-03: the right password signs in; a wrong one and an unknown address fail alike"""
        wrong = expect_error(
            ["auth/invalid-credential"], "a wrong password",
            lambda: self.call("SignInWithPassword", email=self.email, password="Wrong7Horse",
                              device=DEVICE))
        unknown = expect_error(
            ["auth/invalid-credential"], "an unknown address",
            lambda: self.call("SignInWithPassword", email="nobody." + self.email,
                              password="Wrong7Horse", device=DEVICE))
        wrong.response.call = unknown.response.call = 0
        expect(wrong.response == unknown.response, "X-02: the two responses are the same bytes")
        answer = self.call(
            "SignInWithPassword", email=self.email.upper(), password=PASSWORD, device=DEVICE)
        expect(answer.account.account_id == self.account.account_id, "the same account")
        expect(answer.session.session_id != self.session.session_id, "a new session")
        self.second = answer.session

    def second_factor(self):
        """F-03, F-04: an authenticator app is asked for; a recovery code replaces it"""
        Protected(self.endpoints, self.mails).run()

    def refresh(self):
        """G-10: a refresh token gives the next pair"""
        first = self.second.refresh_token
        child = self.call("RefreshSession", refresh_token=first, device=DEVICE).session
        expect(child.session_id == self.second.session_id, "the same session")
        expect(child.refresh_token != first, "another refresh token")
        expect(self.state(child).authenticated, "the new access token is good")
        self.grandchild = self.call(
            "RefreshSession", refresh_token=child.refresh_token, device=DEVICE).session
        self.spent = first

    def replay(self):
        """G-10: a replayed refresh token ends its whole family, and no other"""
        over = ["auth/refresh-token-replayed", "auth/session-ended"]
        expect_error(over[:1], "a replayed token",
                     lambda: self.call("RefreshSession", refresh_token=self.spent, device=DEVICE))
        expect_error(over, "the family's newest token", lambda: self.call(
            "RefreshSession", refresh_token=self.grandchild.refresh_token, device=DEVICE))
        state = self.state(self.grandchild)
        expect(not state.authenticated, "the family's access token has ended too")
        reason = protos.enum_value(REASON, state.reason)
        expect(reason == "AUTH_STATE_REASON_SECURITY", f"the reason is security, not {reason}")
        expect(self.state(self.session).authenticated, "the other session is valid")

    def bound(self):
        """S-04: a session that is bound to a key refreshes only with a proof by that key"""
        key = device_key.DeviceKey(DEVICE["device_id"])
        session = self.call(
            "SignInWithPassword", email=self.email, password=PASSWORD,
            device=dict(DEVICE, key=key.registration())).session
        token = session.refresh_token
        thief = device_key.DeviceKey(DEVICE["device_id"])

        def refresh(**proof):
            return self.call("RefreshSession", refresh_token=token, device=DEVICE, **proof).session

        expect_error(["auth/device-proof-required"], "a stolen token", refresh)
        expect_error(["auth/invalid-device-proof"], "another key's proof", lambda: refresh(
            device_proof=thief.proof(token, session.answered_at_ms)))
        expect_error(["auth/device-proof-stale"], "a proof by a wrong clock", lambda: refresh(
            device_proof=key.proof(token, session.answered_at_ms - 301_000)))
        child = refresh(device_proof=key.proof(token, session.answered_at_ms))
        expect(self.state(child).authenticated, "the child's access token is good")
        again = refresh(device_proof=key.proof(token, child.answered_at_ms))
        expect(again.refresh_token == child.refresh_token, "a lost response is repeated")
        expect(self.call("SignOut", session=child).ended_sessions == 1, "signed out")

    def sign_out(self):
        """G-09: signing out ends the session; all sessions on request"""
        third = self.call(
            "SignInWithPassword", email=self.email, password=PASSWORD, device=DEVICE).session
        expect(self.is_good_offline(self.session.access_token), "good offline before signing out")
        answer = self.call("SignOut", session=self.session)
        expect(answer.ended_sessions == 1, "one session ended")
        told_by = time.monotonic() + 1
        while self.is_good_offline(self.session.access_token):
            expect(time.monotonic() < told_by, "S-07: rejected offline within a second")
            time.sleep(0.005)
        state = self.state(self.session)
        expect(not state.authenticated, "signed out")
        reason = protos.enum_value(REASON, state.reason)
        expect(reason == "AUTH_STATE_REASON_REVOKED", f"the reason is revoked, not {reason}")
        expect_error(["auth/session-ended"], "a refresh after sign-out", lambda: self.call(
            "RefreshSession", refresh_token=self.session.refresh_token, device=DEVICE))
        answer = self.call("SignOut", refresh_token=third.refresh_token, all=True)
        expect(answer.ended_sessions == 1, "the last session ended")
        expect(not self.state(third).authenticated, "signed out everywhere")


class Protected(Flow):
    """Another user, with pyotp as the authenticator app."""

    def run(self):
        session = self.call(
            "SignUpWithPassword", email=self.email, password=PASSWORD, device=DEVICE).session
        added, used = self.set_up(session)
        challenge = self.asked()
        expect(list(challenge.kinds) == ["totp_code", "recovery_code"], f"{challenge.kinds}")
        for code in (self.app.at(used), "123 45"):
            expect_error(["auth/invalid-verification-code"], f"the code {code!r}",
                         lambda: self.complete(challenge, totp_code=code))
        # One step ahead of the clock will do.
        by_app = self.complete(challenge, totp_code=self.app.at(used + self.app.interval))
        expect(self.state(by_app.session).authenticated, "signed in by the app")
        expect_error(["auth/invalid-challenge"], "a challenge that was used",
                     lambda: self.complete(challenge, recovery_code=added.recovery_codes[1]))
        typed = added.recovery_codes[0].lower().replace("-", "")
        by_code = self.complete(self.asked(), recovery_code=typed)
        expect(by_code.recovery_codes_left == 9, "nine recovery codes are left")
        expect_error(["auth/invalid-verification-code"], "a recovery code that was used",
                     lambda: self.complete(self.asked(), recovery_code=typed))
        self.call("SecondFactors/RemoveSecondFactor", session=by_code.session,
                  factor_id=added.factor.factor_id, device=DEVICE)
        expect(self.sign_in().session.session_id, "without the app one proof is enough")

    def set_up(self, session):
        """Adds the app; returns the answer, and the time of the code that was used."""
        begun = self.call("SecondFactors/BeginTOTP", session=session)
        self.app = pyotp.parse_uri(begun.uri)
        expect(self.app.secret == begun.secret, "the address has the secret")
        expect(self.app.name == self.email, f"the address names {self.app.name}")
        used = int(time.time())
        added = self.call(
            "SecondFactors/ConfirmTOTP", session=session, device=DEVICE, name="pyotp",
            enrollment_token=begun.enrollment_token, code=self.app.at(used))
        expect(len(set(added.recovery_codes)) == 10, "there are ten recovery codes")
        claims = access_token.verify(
            added.access_token, self.gateway.call(GATEWAY + "Verification/GetKeySet").jwks)
        expect(claims["acr"] == "aal2", "acr says that it is two proofs")
        expect({"otp", "totp", "mfa"} <= set(claims["amr"]), f"amr is {claims['amr']}")
        listed = self.call("SecondFactors/ListSecondFactors", session=session)
        expect([factor.name for factor in listed.factors] == ["pyotp"], "the app is listed")
        return added, used

    def sign_in(self):
        return self.call(
            "SignInWithPassword", email=self.email, password=PASSWORD, device=DEVICE)

    def asked(self):
        """The challenge of a sign-in."""
        error = expect_error(
            ["auth/second-proof-required"], "a sign-in with the password alone", self.sign_in)
        return error.response.error.second_proof

    def complete(self, challenge, **proof):
        return self.call("SignInChallenges/CompleteSignIn", challenge=challenge.challenge,
                         device=DEVICE, **proof)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    endpoints = Endpoints(sys.argv[1])
    mails = sys.argv[2] if len(sys.argv) == 3 else endpoints.inbox()
    try:
        Flow(endpoints, mails).run()
    except (Mismatch, CallFailed) as error:
        sys.exit(f"interop: {error}")


if __name__ == "__main__":
    main()
