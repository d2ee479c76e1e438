"""The people of `mixed_load.py`: what their apps keep, and the calls that they make. Each remembers
what the service has acknowledged, and takes every answer that disagrees with it for a loss."""

import json
import random
import time
import uuid
from dataclasses import dataclass, field

from load_client import CallFailed

PASSWORD = "Correct7Horse"
COLLECTION, NAME = "settings", "main"
# An access token is refreshed this many seconds before its end.
REFRESHED_BEFORE = 60.0


class Lost(Exception):
    """An answer that contradicts what was acknowledged."""


@dataclass
class Change:
    """A call that changes something, with its key: without an answer it is repeated as it is."""
    method: str
    request: dict
    access: str | None
    key: str = field(default_factory=lambda: str(uuid.uuid4()))


class Person:
    """One account, or one guest, and its app. It makes one call at a time."""

    def __init__(self, call, kept=None):
        """`call`: a coroutine that makes a call by `LoadClient.call`. `kept`: what `state` gave."""
        self._call = call
        number = random.getrandbits(24)
        self.email = f"load.{uuid.uuid4().hex[:16]}@example.org"
        self.device = {"deviceId": f"d-{uuid.uuid4()}", "platform": "cli", "name": "load"}
        # Another network each: sites are counted as one.
        self.client = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        self.session, self.version, self.value = None, 0, None
        self.open, self.is_guest, self.acknowledged = None, False, 0
        if kept:
            self.__dict__.update(kept)
            self.open = Change(**self.open) if self.open else None

    def state(self):
        """What a later run needs to read everything back."""
        kept = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        return kept | {"open": self.open.__dict__ if self.open else None}

    async def _read(self, method, request, signed_in=True):
        access = self.session["access"] if signed_in else None
        return await self._call(method, request, access=access, client=self.client)

    async def _change(self, method, request, signed_in=True):
        self.open = Change(method, request, self.session["access"] if signed_in else None)
        return await self.repeat()

    async def repeat(self):
        """Makes the open change, again if it had no answer."""
        change = self.open
        try:
            answer = await self._call(
                change.method, change.request, access=change.access, key=change.key,
                client=self.client)
        except CallFailed as failed:
            if not failed.is_open:
                self.open = None
            raise
        self.open = None
        self.acknowledged += 1
        if change.method == "Documents/WriteDocument":
            self.version = int(answer["written"]["version"])
            self.value = change.request["write"]["json"]
        elif change.method == "Auth/SignOut":
            self.session = None
        elif "session" in answer:
            session = answer["session"]
            life = int(session["accessExpiresAtMs"]) - int(session["answeredAtMs"])
            self.session = {
                "id": session["sessionId"], "access": session["accessToken"],
                "refresh": session["refreshToken"], "until": time.time() + life / 1000}
        return answer

    def is_due(self):
        """Whether a change waits for its answer, or the session has to be opened or refreshed."""
        return (self.open is not None or self.session is None
                or self.session["until"] - time.time() < REFRESHED_BEFORE)

    async def settle(self):
        """What `is_due` asks for."""
        if self.open:
            await self.repeat()
        elif self.session is None:
            await self.sign_in()
        else:
            await self.refresh()

    async def sign_up(self):
        await self._change("Auth/SignUpWithPassword", {
            "email": self.email, "password": PASSWORD, "displayName": "Load",
            "device": self.device}, signed_in=False)

    async def sign_in_as_guest(self):
        self.is_guest = True
        await self._change("Guests/SignInAsGuest", {"device": self.device}, signed_in=False)

    async def sign_in(self):
        await self._change("Auth/SignInWithPassword", {
            "email": self.email, "password": PASSWORD, "device": self.device}, signed_in=False)

    async def sign_in_again(self):
        await self._change("Auth/SignOut", {})
        await self.sign_in()

    async def refresh(self):
        await self._change("Auth/RefreshSession", {
            "refreshToken": self.session["refresh"], "device": self.device}, signed_in=False)

    async def write(self):
        value = {"number": self.version + 1, "text": uuid.uuid4().hex}
        await self._change("Documents/WriteDocument", {"write": {
            "collection": COLLECTION, "name": NAME, "baseVersion": str(self.version),
            "json": json.dumps(value)}})

    async def read(self):
        if self.value is None:
            return await self.write()
        answer = await self._read(
            "Documents/ReadDocument", {"collection": COLLECTION, "name": NAME})
        self._check_document(answer["document"])

    async def list_documents(self):
        answer = await self._read(
            "Documents/ListDocuments", {"collection": COLLECTION, "withJson": True})
        if self.value is not None:
            self._check_document(answer.get("documents", [{}])[0])

    def _check_document(self, document):
        version, value = document.get("version"), document.get("json", "{}")
        if str(version) != str(self.version) or json.loads(value) != json.loads(self.value):
            raise Lost(f"{self.email}: version {version} of its document is {value}; "
                       f"acknowledged was version {self.version}, {self.value}")

    async def check_state(self):
        answer = await self._read("Auth/CheckAuthState", {})
        if not answer.get("authenticated"):
            raise Lost(f"{self.email}: its session has ended: {answer}")

    async def get_profile(self):
        answer = await self._read("Profile/GetProfile", {})
        if answer["account"].get("email") != self.email:
            raise Lost(f"{self.email}: its account is {answer['account']}")

    async def list_sessions(self):
        answer = await self._read("AccountSessions/ListSessions", {})
        if self.session["id"] not in [one["sessionId"] for one in answer.get("sessions", ())]:
            raise Lost(f"{self.email}: {self.session['id']} is not listed: {answer}")

    async def list_activity(self):
        await self._read("AccountSessions/ListActivity", {})

    async def note_activity(self):
        await self._read("AccountSessions/NoteActivity", {"kind": "load"})

    async def get_options(self):
        await self._read("SignInOptions/GetSignInOptions", {}, signed_in=False)

    async def prove(self):
        """Compares a password, as the sign-ins do."""
        await self._change("AccountSessions/Reauthenticate", {
            "password": PASSWORD, "device": self.device})

    async def read_back(self):
        """Reads everything that was acknowledged: the session, the account, the document."""
        if self.open:
            await self.repeat()
        if self.session:
            await self.refresh()
        else:
            await self.sign_in()
        await self.check_state()
        if not self.is_guest:
            await self.get_profile()
            await self.list_sessions()
        if self.value is not None:
            await self.read()
