"""Verifies access tokens offline and follows the revocation feed, as a backend does (S-07)."""

import threading
import time

import access_token
import protos
from postern_client import CallFailed, Closed, WentAway

LEEWAY, UNKNOWN_KEY_PAUSE = 60, 30  # seconds
ASSURANCES = ["aal1", "aal2"]  # acr, the weakest first
GATEWAY = "postern.gateway.v1.Verification/"


class Refused(Exception):
    """The token is rejected; the reason is for logs."""


class InsufficientAuthentication(Exception):
    """The token is valid, and its owner must authenticate again (RFC 9470)."""

    def __init__(self, acr, max_age):
        super().__init__(f"{acr} of the last {max_age} s")
        # With status 401, in WWW-Authenticate.
        self.challenge = ('Bearer error="insufficient_user_authentication", '
                          f'acr_values="{acr}", max_age="{max_age}"')


def require(claims, acr, max_age):
    """Requires an assurance of the session, and that its owner has authenticated recently.

    A token says when its owner has authenticated last, not how old the second proof is: to require a
    recent one, call AccountSessions/CheckRecentProof with min_acr.
    """
    is_strong = claims.get("acr") in ASSURANCES[ASSURANCES.index(acr):]  # a guest has none
    if not is_strong or time.time() > claims["auth_time"] + max_age:
        raise InsufficientAuthentication(acr, max_age)


def roles(claims):
    """What the backend lets the account do, as of the token (RFC 9068)."""
    value = claims.get("roles", [])
    # The operator's setting token-claims may use the name for something else.
    return value if isinstance(value, list) and all(isinstance(r, str) for r in value) else []


class SessionVerifier:
    def __init__(self, connect, issuer="postern", audience="postern", silence_max=float("inf")):
        self.connect, self.issuer, self.audience = connect, issuer, audience
        self.silence_max = silence_max  # seconds; without it tokens are accepted until they expire
        self.ended, self.position, self.key_set_hash, self.jwks = {}, None, None, None
        self.heard_at = self.asked_at = -float("inf")

    def start(self):
        """Fetches the keys, and follows the feed in a thread that ends with the program."""
        self.fetch()
        threading.Thread(target=self.follow, daemon=True).start()

    def fetch(self):
        with self.connect() as gateway:
            self.jwks = gateway.call(GATEWAY + "GetKeySet").jwks

    def follow(self):
        while True:
            try:
                with self.connect() as gateway:
                    self.read(gateway)
            except (CallFailed, Closed, WentAway, OSError):
                time.sleep(0.2)  # then retried, from the last position

    def read(self, gateway):
        request, item_type = protos.method(GATEWAY + "WatchRevocations")
        since = request(after=self.position).SerializeToString()
        call = gateway.send_request(GATEWAY + "WatchRevocations", since, 3_600_000)
        for payload in gateway.items(call):
            item = item_type.FromString(payload)
            ended = self.ended | {end.session_id: end.ended_at_ms for end in item.revocations}
            oldest = item.complete_at_ms - item.kept_for_ms
            self.ended = {session: at for session, at in ended.items() if at > oldest}
            if item.key_set_hash != self.key_set_hash:
                self.fetch()
                self.key_set_hash = item.key_set_hash
            is_complete = item.HasField("complete_at_ms")
            if is_complete or self.position and item.position.epoch != self.position.epoch:
                self.heard_at = time.monotonic() if is_complete else -float("inf")  # a gap
            self.position = item.position

    def verify(self, token):
        """The claims of a token that is valid now, with all that the backend has attached."""
        claims = self.read_token(token)
        for is_good, why in [
                (claims["iss"] == self.issuer, "iss"), (claims["aud"] == self.audience, "aud"),
                (time.time() < claims["exp"] + LEEWAY, "expired"),
                (claims["sid"] not in self.ended, "its session has ended"),
                (time.monotonic() - self.heard_at <= self.silence_max, "the feed is silent")]:
            if not is_good:
                raise Refused(why)
        return claims

    def read_token(self, token):
        try:
            return access_token.verify(token, self.jwks)
        except StopIteration:
            if time.monotonic() < self.asked_at + UNKNOWN_KEY_PAUSE:
                raise Refused("an unknown key") from None
        except Exception as error:
            raise Refused(f"not ours: {error!r}") from None
        self.asked_at = time.monotonic()
        self.fetch()
        return self.read_token(token)
