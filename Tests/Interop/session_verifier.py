"""Verifies access tokens offline, and follows the ends of sessions: what a backend needs (S-01, S-07).

    verifier = SessionVerifier(lambda: Connection.open(address, "postern.gateway", key))
    verifier.start()
    claims = verifier.verify(token)     # raises Refused
"""

import json
import threading
import time

import access_token
import protos
from postern_client import CallFailed, Closed, Frame, WentAway

LEEWAY = 60
GATEWAY = "postern.gateway.v1.Verification/"


class Refused(Exception):
    """The token is not good now; says why, for logs."""


class SessionVerifier:
    def __init__(self, connect, issuer="postern", audience="postern", silence_max=None):
        self.connect, self.issuer, self.audience = connect, issuer, audience
        self.silence_max = silence_max  # seconds; None trusts tokens until they expire
        self.ended, self.position, self.key_set, self.jwks = {}, 0, None, None
        self.heard_at, self.fetched_for_unknown = None, -LEEWAY

    def start(self):
        """Fetches the keys, and follows in a thread that ends with the program."""
        self.fetch()
        threading.Thread(target=self.follow, daemon=True).start()

    def fetch(self):
        with self.connect() as gateway:
            self.jwks = gateway.call(GATEWAY + "KeySet").jwks

    def follow(self):
        while True:
            try:
                with self.connect() as gateway:
                    self.read(gateway)
            except (CallFailed, Closed, WentAway, OSError):
                time.sleep(0.2)  # asked again, from the last position

    def read(self, gateway):
        request, item_type = protos.method(GATEWAY + "WatchEnds")
        call = gateway.send_request(
            GATEWAY + "WatchEnds", request(position=self.position).SerializeToString(), 3_600_000)
        for payload in gateway.items(call):
            item = item_type.FromString(payload)
            oldest = (time.time() * 1000 if not item.complete_at_ms else item.complete_at_ms)
            self.ended.update((end.session_id, end.ended_at_ms) for end in item.ends)
            self.ended = {session: at for session, at in self.ended.items()
                          if at > oldest - item.kept_for_ms}
            if item.key_set != self.key_set:
                self.fetch()
                self.key_set = item.key_set
            self.position = item.position
            if item.complete_at_ms:
                self.heard_at = time.monotonic()

    def verify(self, token):
        """The claims of a token that is good now."""
        try:
            claims = access_token.verify(token, self.jwks, typ="at+jwt")
        except StopIteration:
            if time.monotonic() < self.fetched_for_unknown + 30:
                raise Refused("an unknown key") from None
            self.fetched_for_unknown = time.monotonic()
            self.fetch()
            return self.verify(token)
        except Exception as error:
            raise Refused(f"not ours: {error!r}") from None
        silent = time.monotonic() - self.heard_at if self.heard_at else float("inf")
        for is_good, why in [
                (claims["iss"] == self.issuer, "iss"), (claims["aud"] == self.audience, "aud"),
                (time.time() < claims["exp"] + LEEWAY, "expired"),
                (claims["sid"] not in self.ended, "its session has ended"),
                (self.silence_max is None or silent <= self.silence_max, "nothing heard")]:
            if not is_good:
                raise Refused(why)
        return claims
