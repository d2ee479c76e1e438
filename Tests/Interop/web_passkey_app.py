"""Passkeys in the page of an app, with examples/passkeys.ts as it is printed; and in pages whose
answers must be refused: of another origin, and in a frame of another one."""

import contextlib
import subprocess
import time
from pathlib import Path

import web_browser
from examples import FOLDER, NODE
from flow import PASSWORD
from web_authenticator import Account, Authenticator, Refused, client_data
from web_browser import APP, Browser
from web_stack import WebStack, free_port

RECORDED_WITHIN = 10.0
# Without its types, as a bundler leaves it.
STRIP = ("import { stripTypeScriptTypes } from 'node:module'; import { readFileSync } from 'node:fs';"
         "process.stdout.write(stripTypeScriptTypes(readFileSync(process.argv[1], 'utf8')));")
PAGE = """<!doctype html><html lang="en"><title>app</title>
<input id="email" autocomplete="username webauthn">"""
# The `call` of browser.ts, and the example.
START = """
const [url, key, device] = arguments;
let session;
const call = async (method, request) => {
  const headers = {"content-type": "application/json", "x-postern-app": key,
    "connect-protocol-version": "1", ...(session && {authorization: `Bearer ${session.accessToken}`})};
  const response = await fetch(`${url}/postern.gateway.v1.${method}`,
    {method: "POST", credentials: "include", headers, body: JSON.stringify(request)});
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.message), answer.details?.[0].debug);
  return answer;
};
return import("/passkeys.js").then((passkeys) => {
  // Each act is answered by a value, or by {code} or {error}.
  window.app = (act, ...rest) => Promise.resolve().then(
    () => acts[act] ? acts[act](...rest) : passkeys[act](call, device, ...rest)).catch(
      // A DOMException has a number as its code.
      (error) => typeof error.code === "string" ? {code: error.code} : {error: error.name});
  const acts = {
    use: (other) => { session = other; },
    call,
    list: () => passkeys.list(call),
    remove: (id) => passkeys.remove(call, device, id),
    arePossible: () => passkeys.arePossible(),
  };
});
"""


class Pages(web_browser.Pages):
    """Pages with the example, on a name and a port."""

    class Handler(web_browser.Pages.Handler):
        def do_GET(self):
            script = self.path == "/passkeys.js"
            page = (Pages.script if script else PAGE).encode()
            self.send_response(200)
            self.send_header("content-type", "text/javascript" if script else "text/html")
            self.send_header("content-length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    script = ""

    def __enter__(self):
        if not Pages.script:
            Pages.script = subprocess.run(
                [NODE, "--no-warnings", "--input-type=module", "--eval", STRIP,
                 FOLDER / "examples" / "passkeys.ts"],
                capture_output=True, text=True, check=True, timeout=60).stdout
        return super().__enter__()


def add_frame(browser, url, allow=""):
    """Shows a page in a frame of the one that is open."""
    browser.run("""
        const [url, allow] = arguments, frame = document.createElement("iframe");
        return new Promise((resolve) => {
          Object.assign(frame, {allow, onload: () => resolve(true), src: url});
          document.body.append(frame);
        });""", url, allow)


class AppVisit:
    """One person at an app's page; `wrong` has what is wrong."""

    def __init__(self, stack, web, home, other, browser):
        self.stack, self.web, self.home, self.other = stack, web, home, other
        self.browser, self.wrong = browser, []
        self.authenticator = Authenticator(browser)

    def expect(self, claim, what):
        if not claim:
            self.wrong.append(f"app: {what}")

    def app(self, act, *arguments):
        return self.browser.run("return app(...arguments)", act, *arguments)

    def account(self, name="Ada"):
        return Account(self.stack.url, self.stack.app_key, name)

    def open(self, session=None):
        """Opens the app's page, in a session if one is given."""
        self.browser.open(self.home)
        self.browser.run(START, self.web, APP, {"deviceId": "page", "platform": "web"})
        self.app("use", session)

    def forget_all(self):
        for credential in self.authenticator.passkeys():
            self.authenticator.forget(credential)

    def run(self):
        for step in (self.example, self.signals, self.second_proofs, self.automatic, self.backups,
                     self.challenges, self.foreign):
            try:
                step()
            except (AssertionError, LookupError, OSError, Refused) as error:
                self.expect(False, f"{step.__name__}: {error!r}")
            self.forget_all()
            print(f"  app: {step.__doc__}")

    def example(self):
        """examples/passkeys.ts adds, signs in by a button and by suggestion, proves again, removes."""
        ada = self.account()
        self.open(ada.session)
        self.expect(self.app("arePossible") is True, "passkeys are not possible")
        self.authenticator.verify(False)
        self.expect(self.app("add") is None, "an addition that was cancelled is an error")
        self.authenticator.verify(True)
        added = self.app("add", "Phone")
        self.expect((added or {}).get("passkey", {}).get("name") == "Phone", f"added: {added}")
        again = self.app("add", "Phone")
        self.expect(again == {"error": "InvalidStateError"}, f"a second one of a device: {again}")
        for act, arguments in (("signIn", []), ("signIn", ["conditional"])):
            session = self.app(act, *arguments) or {}
            self.expect(session.get("accessToken"), f"{act} {arguments}: {session}")
        signed = self.app("prove")
        proved = self.app("call", "AccountSessions/Reauthenticate",
                          {"passkey": signed, "device": {"deviceId": "page"}})
        self.expect(proved.get("accessToken"), f"proved: {proved}")
        used = self.app("call", "AccountSessions/Reauthenticate",
                        {"passkey": signed, "device": {"deviceId": "page"}})
        self.expect(used == {"code": "auth/invalid-passkey"}, f"proved twice: {used}")
        self.authenticator.verify(False)
        self.expect(self.app("signIn") is None, "a sign-in that was cancelled is an error")
        self.authenticator.verify(True)
        left = self.app("remove", added["passkey"]["passkeyId"])
        self.expect(left == [], f"removed: {left}")
        self.expect(not self.authenticator.passkeys(), "the browser keeps what was removed")

    def signals(self):
        """A list, and a sign-in by a passkey that nobody has, let the browser forget."""
        ada, bob = self.account(), self.account("Bob")
        self.open(ada.session)
        for person in (ada, bob):
            person.add(self.authenticator)
        self.expect(len(self.app("list")) == 1, "the list has not one passkey")
        self.expect(len(self.authenticator.passkeys()) == 2, "a list has removed another's passkey")
        own = ada.passkeys()[0]
        ada.call("Passkeys/RemovePasskey", passkeyId=own["passkeyId"], device=ada.device)
        self.expect(self.app("list") == [], "the list has what was removed")
        self.expect(self.authenticator.passkeys() == [bob.passkeys()[0]["credentialId"]],
                    "the list has not let the browser forget")
        gone = bob.passkeys()[0]
        bob.call("Passkeys/RemovePasskey", passkeyId=gone["passkeyId"], device=bob.device)
        answer = self.app("signIn")
        self.expect(answer == {"code": "auth/unknown-passkey"}, f"by an unknown one: {answer}")
        self.expect(not self.authenticator.passkeys(), "the browser keeps an unknown passkey")

    def second_proofs(self):
        """The second proof of a password, beside an authenticator app."""
        ada = self.account()
        self.open()
        ada.add(self.authenticator)
        ada.protect()
        answer = self.app("call", "Auth/SignInWithPassword", {
            "email": ada.email, "password": PASSWORD, "device": {"deviceId": "page"}})
        self.expect(answer == {"code": "auth/second-proof-required"}, f"a password alone: {answer}")
        challenge = self.challenge(ada)
        signed = self.app("prove", challenge)
        done = self.app("call", "SignInChallenges/CompleteSignIn", {
            "challenge": challenge, "passkey": signed, "device": {"deviceId": "page"}})
        self.expect(done.get("account", {}).get("accountId") == ada.id, f"completed: {done}")

    def challenge(self, account):
        """The challenge of a sign-in by a password in the page."""
        return self.browser.run("""
            const [url, key, request] = arguments;
            return fetch(url, {method: "POST", credentials: "include", body: JSON.stringify(request),
              headers: {"content-type": "application/json", "x-postern-app": key,
                "connect-protocol-version": "1"}}).then((response) => response.json()).then(
                  (answer) => answer.details[0].debug.secondProof.challenge);""",
            f"{self.web}/postern.gateway.v1.Auth/SignInWithPassword", APP,
            {"email": account.email, "password": PASSWORD, "device": {"deviceId": "page"}})

    def automatic(self):
        """Automatic addition: declined without an error; done by a browser that has no UV for it."""
        ada = self.account()
        self.open(ada.session)
        # Chromium waits for a form that it may fill in, until another prompt ends the request.
        mediation = self.browser.run("""
            const { create } = CredentialsContainer.prototype;
            return new Promise((resolve) => {
              navigator.credentials.create = (request) => {
                setTimeout(() => resolve(request.mediation), 100);
                return create.call(navigator.credentials, request);
              };
              window.waiting = app("add", "", true);
            });""")
        self.expect(mediation == "conditional", f"an automatic addition is asked for as {mediation}")
        self.expect(self.app("signIn") is None, "there is a passkey before the addition")
        self.expect(self.browser.run("return waiting") is None, "a declined addition is an error")
        self.expect(not ada.passkeys(), "a declined addition has added one")
        # A browser that does it: without a prompt there is nobody to verify.
        for is_automatic in (False, True):
            options = ada.call("Passkeys/BeginPasskeyAdd", automatic=is_automatic)["options"]
            self.authenticator.lie(isBadUV=True)
            credential = self.authenticator.prompt("create", options)
            self.authenticator.lie()
            code = ada.code("Passkeys/AddPasskey", credential=credential, device=ada.device)
            wanted = None if is_automatic else "auth/invalid-passkey"
            self.expect(code == wanted, f"without UV, automatic {is_automatic}: {code}")
        # It proves a person when it is used.
        self.authenticator.lie(isBadUV=True)
        code = ada.code("Passkeys/SignInWithPasskey", device=ada.device,
                        credential=ada.signature(self.authenticator, credential["id"]))
        self.authenticator.lie()
        self.expect(code == "auth/invalid-passkey", f"a sign-in without UV: {code}")
        code = ada.code("Passkeys/SignInWithPasskey", device=ada.device,
                        credential=ada.signature(self.authenticator, credential["id"]))
        self.expect(code is None, f"a sign-in by a passkey that was added by itself: {code}")

    def backups(self):
        """BE and BS of each kind: recorded and shown; BS without BE is refused."""
        self.authenticator.remove()
        for eligible, backed_up in ((False, False), (True, False), (True, True)):
            ada = self.account()
            self.authenticator = Authenticator(self.browser, eligible, backed_up)
            self.open()
            credential = ada.add(self.authenticator)
            shown = ada.passkeys()[0].get("isBackedUp", False)
            self.expect(shown == backed_up, f"BE {eligible}, BS {backed_up}: shown as {shown}")
            amr = self.opened(ada, credential)
            kind = "swk" if eligible else "hwk"
            self.expect(kind in amr and "mfa" in amr, f"BE {eligible}: amr {amr}")
            # It may change: some have no BE before their first synchronisation.
            self.authenticator.back_up(credential, not eligible, not eligible)
            amr = self.opened(ada, credential)
            self.expect(("hwk" if eligible else "swk") in amr, f"BE that changed: amr {amr}")
            self.expect_recorded("passkey.backup-changed", ada)
            self.authenticator.back_up(credential, False, True)
            code = ada.code("Passkeys/SignInWithPasskey", device=ada.device,
                            credential=ada.signature(self.authenticator, credential))
            self.expect(code == "auth/invalid-passkey", f"BS without BE: {code}")
            self.authenticator.remove()
        self.authenticator = Authenticator(self.browser)

    def opened(self, account, credential):
        """Signs in; the new session's methods."""
        signed = account.signature(self.authenticator, credential)
        answer = account.call("Passkeys/SignInWithPasskey", credential=signed, device=account.device)
        sessions = account.call("AccountSessions/ListSessions")["sessions"]
        [own] = [one for one in sessions if one["sessionId"] == answer["session"]["sessionId"]]
        return own["amr"]

    def expect_recorded(self, kind, account):
        deadline = time.monotonic() + RECORDED_WITHIN
        while True:
            listed = subprocess.run(
                [self.stack.programs / "postern", "audit", "list", "--account", account.email,
                 "--kind", kind, "-o", "json", "--endpoints",
                 self.stack.data / "endpoints.json"], capture_output=True, text=True)
            if kind in listed.stdout:
                return
            if time.monotonic() > deadline:
                self.expect(False, f"no {kind}: {listed.stdout}{listed.stderr}")
                return
            time.sleep(0.1)

    def challenges(self):
        """A challenge is for one purpose, one session, one use."""
        ada, bob = self.account(), self.account("Bob")
        self.open()
        credential = ada.add(self.authenticator)
        signed = ada.signature(self.authenticator, credential)
        for person in (ada, bob):
            code = person.code("AccountSessions/Reauthenticate", passkey=signed,
                               device=person.device)
            self.expect(code == "auth/invalid-passkey", f"a sign-in's signature as a proof: {code}")
        code = ada.code("Passkeys/SignInWithPasskey", credential=signed, device=ada.device)
        self.expect(code is None, f"a signature that was refused elsewhere: {code}")
        code = ada.code("Passkeys/SignInWithPasskey", credential=signed, device=ada.device)
        self.expect(code == "auth/invalid-passkey", f"a signature twice: {code}")
        options = ada.call("Passkeys/BeginPasskeyAdd")["options"] | {"excludeCredentials": []}
        made = self.authenticator.prompt("create", options)
        code = bob.code("Passkeys/AddPasskey", credential=made, device=bob.device)
        self.expect(code == "auth/invalid-passkey", f"another session's challenge: {code}")

    def foreign(self):
        """Another origin, and a frame of one: refused by the browser, or by Postern."""
        ada = self.account()
        self.open()
        credential = ada.add(self.authenticator)
        options = ada.call("Passkeys/BeginPasskeySignIn")["options"]
        # At another port the domain is the same, so the browser signs.
        self.browser.open(self.other)
        signed = ada.signature(self.authenticator, credential)
        self.expect(client_data(signed)["origin"] == self.other.rstrip("/"), f"signed: {signed}")
        self.refuse(ada, signed, "at another port")
        bob = self.account("Bob")
        made = self.authenticator.prompt("create", bob.call("Passkeys/BeginPasskeyAdd")["options"])
        code = bob.code("Passkeys/AddPasskey", credential=made, device=bob.device)
        self.expect(code == "auth/invalid-passkey", f"added at another port: {code}")
        for name in ("127.0.0.1", "evil.localhost"):
            self.browser.open(self.home.replace("localhost", name))
            refused = self.authenticator.prompt("get", options)
            self.expect(refused == {"error": "SecurityError"}, f"at {name}: {refused}")
        # Our own page in a stranger's frame.
        self.browser.open(self.other.replace("localhost", "127.0.0.1"))
        add_frame(self.browser, self.home, "publickey-credentials-get *")
        self.browser.frame("iframe")
        signed = ada.signature(self.authenticator, credential)
        data = client_data(signed)
        self.expect(data["origin"] == self.home.rstrip("/") and data["crossOrigin"],
                    f"signed in a frame: {data}")
        self.refuse(ada, signed, "in a frame of a stranger")

    def refuse(self, account, signed, what):
        code = account.code("Passkeys/SignInWithPasskey", credential=signed, device=account.device)
        self.expect(code == "auth/invalid-passkey", f"{what}: {code}")


def run(programs):
    """Runs the browser; returns what is wrong, a line each."""
    with contextlib.ExitStack() as opened:
        pages, others = opened.enter_context(Pages()), opened.enter_context(Pages())
        home, other = (f"http://localhost:{one.port}/" for one in (pages, others))
        stack = opened.enter_context(WebStack(
            programs, passkey_rp_id="localhost", passkey_origins=home.rstrip("/")))
        apps = Path(stack.folder.name) / "apps.yaml"
        apps.write_text(f"shop-web:\n  platforms: [web]\n  key: {APP}\n  refresh: cookie\n"
                        f"  origins: ['{home.rstrip('/')}']\n")
        web = f"http://localhost:{free_port()}"
        stack.web_with([web], apps_file=str(apps), trusted_proxies="")
        browser = opened.enter_context(Browser())
        visit = AppVisit(stack, web, home, other, browser)
        visit.run()
        return visit.wrong
