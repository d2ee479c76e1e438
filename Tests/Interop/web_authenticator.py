"""Chromium's virtual authenticator, which stands for a device that keeps passkeys, and calls of the
web service by JSON."""

import base64
import json
import urllib.error
import urllib.request
import uuid

import pyotp

from flow import PASSWORD, fresh_address

GATEWAY = "/postern.gateway.v1."
# Shows a prompt in a page; the result is what the page would send, or {error}.
PROMPT = """
const [kind, options, more] = arguments;
const parse = kind === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
try {
  const publicKey = PublicKeyCredential[parse](options);
  return navigator.credentials[kind]({publicKey, ...more}).then(
    (credential) => credential.toJSON(), (error) => ({error: error.name}));
} catch (error) { return {error: error.name}; }
"""


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def client_data(credential):
    """What the browser says in a ceremony."""
    return json.loads(decoded(credential["response"]["clientDataJSON"]))


class Authenticator:
    """A device in a tab of a browser. It verifies its owner, and answers each prompt at once."""

    def __init__(self, browser, eligible=False, backed_up=False):
        """`eligible` and `backed_up`: BE and BS of its passkeys."""
        self.browser = browser
        browser.devtools("WebAuthn.enable", enableUI=False)
        self.id = browser.devtools("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True, "defaultBackupEligibility": eligible,
            "defaultBackupState": backed_up})["authenticatorId"]

    def _send(self, command, **parameters):
        return self.browser.devtools("WebAuthn." + command, authenticatorId=self.id, **parameters)

    def passkeys(self):
        """The ids of its credentials, in base64url."""
        return [base64.urlsafe_b64encode(base64.b64decode(one["credentialId"])).decode().rstrip("=")
                for one in self._send("getCredentials")["credentials"]]

    def forget(self, credential):
        self._send("removeCredential", credentialId=standard(credential))

    def answer(self, does_answer):
        """Whether it answers prompts; without it they wait."""
        self._send("setAutomaticPresenceSimulation", enabled=does_answer)

    def verify(self, does_verify):
        """Whether it recognises its owner."""
        self._send("setUserVerified", isUserVerified=does_verify)

    def lie(self, **bits):
        """What is wrong in its next answers: isBogusSignature, isBadUV, isBadUP."""
        self._send("setResponseOverrideBits", **bits)

    def back_up(self, credential, eligible, backed_up):
        """Sets BE and BS of a passkey."""
        self._send("setCredentialProperties", credentialId=standard(credential),
                   backupEligibility=eligible, backupState=backed_up)

    def prompt(self, kind, options, **more):
        """What the page that is open gets for options of "create" or "get"."""
        return self.browser.run(PROMPT, kind, options, more)

    def remove(self):
        self.browser.devtools("WebAuthn.removeVirtualAuthenticator", authenticatorId=self.id)


def standard(credential):
    """An id in base64, as the DevTools protocol has it."""
    return base64.b64encode(decoded(credential)).decode()


class Refused(Exception):
    """An error of the catalogue; its text is the code."""


class Account:
    """A person with an account, who calls the web service by an app on a device of their own."""

    def __init__(self, url, app_key, name="Ada"):
        self.url, self.app_key = url, app_key
        self.name, self.address = name, fresh_address()
        self.email = f"{name.lower()}.{uuid.uuid4().hex[:12]}@example.org"
        self.device = {"deviceId": f"d-{uuid.uuid4()}", "platform": "web"}
        self.session = None
        signed_up = self.call("Auth/SignUpWithPassword", email=self.email, password=PASSWORD,
                              device=self.device, displayName=name)
        self.id, self.session = signed_up["account"]["accountId"], signed_up["session"]

    def call(self, method, **request):
        """Calls a method, in the session if there is one."""
        headers = {"content-type": "application/json", "x-postern-app": self.app_key,
                   "x-forwarded-for": self.address}
        if self.session:
            headers["authorization"] = "Bearer " + self.session["accessToken"]
        data = json.dumps(request).encode()
        call = urllib.request.Request(self.url + GATEWAY + method, data, headers, method="POST")
        try:
            with urllib.request.urlopen(call, timeout=20) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)["details"][0]["debug"]["code"]) from None

    def code(self, method, **request):
        """The code of the error that a call has; None without one."""
        try:
            self.call(method, **request)
        except Refused as error:
            return str(error)

    def passkeys(self):
        return self.call("Passkeys/ListPasskeys").get("passkeys", [])

    def add(self, authenticator, **options):
        """Adds a passkey of the page that is open; its id, in base64url."""
        begun = self.call("Passkeys/BeginPasskeyAdd", **options)
        credential = authenticator.prompt("create", begun["options"])
        assert "error" not in credential, credential
        self.call("Passkeys/AddPasskey", credential=credential, device=self.device)
        return credential["id"]

    def protect(self):
        """Sets an authenticator app up."""
        begun = self.call("SecondFactors/BeginTOTP")
        confirmed = self.call(
            "SecondFactors/ConfirmTOTP", enrollmentToken=begun["enrollmentToken"],
            code=pyotp.TOTP(begun["secret"]).now(), device=self.device)
        self.session["accessToken"] = confirmed["accessToken"]

    def signature(self, authenticator, credential=None):
        """What the page that is open signs for a sign-in, by a certain passkey if it is given."""
        options = self.call("Passkeys/BeginPasskeySignIn")["options"]
        if credential:
            options["allowCredentials"] = [{"type": "public-key", "id": credential}]
        return authenticator.prompt("get", options)
