"""Passkeys in Chromium with its virtual authenticator: on the page /security with its script, in five
languages; where the operator requires a second factor; in an app's page with examples/passkeys.ts; and
in pages that must be refused. The browser asks nobody else for anything, and no page breaks its policy.

The browser's dialogs are not there: a prompt fails as a cancelled one does where the authenticator does
not recognise its owner. Chromium adds a passkey without a prompt only after its own password manager
has filled in a form, so an automatic addition is declined, and then done by a prompt with UV unset.

Needs Debian's chromium and chromium-driver.
"""

import contextlib
import subprocess
import time
import urllib.error
import urllib.parse

import web_passkey_app
from flow import PASSWORD
from web_authenticator import Account, Authenticator, Refused
from web_browser import Browser
from web_stack import WebStack

LANGUAGES = ["en", "de", "es", "fr", "ja"]
SHOWN_WITHIN = 10.0


def act(name):
    """The button of a form of /security."""
    return f"form:has(input[name=act][value={name}]) button"


PROMPT_BUTTON = "form[data-passkey] button"


class Visit:
    """One browser with an authenticator on /security; `wrong` has what is wrong."""

    def __init__(self, stack, browser, authenticator, language="en"):
        self.stack, self.browser, self.authenticator = stack, browser, authenticator
        self.language, self.wrong = language, []
        self.origin = stack.url.replace("127.0.0.1", "localhost")
        self.page = f"{self.origin}/security"

    def expect(self, claim, what):
        if not claim:
            self.wrong.append(f"{self.language}: {what}")

    def account(self, name="Ada"):
        return Account(self.stack.url, self.stack.app_key, name)

    def wait(self, script, what, *arguments):
        """Waits until a script is true of the page."""
        deadline = time.monotonic() + SHOWN_WITHIN
        while time.monotonic() < deadline:
            # A page that goes meanwhile ends its scripts.
            with contextlib.suppress(urllib.error.HTTPError):
                if self.browser.run(f"return !!({script})", *arguments):
                    return True
            time.sleep(0.05)
        shown = self.browser.run("return document.querySelector('main').innerText")
        self.expect(False, f"{what} on {self.browser.title()}: {shown!r}")
        return False

    def expect_list(self, names, what):
        """The page is the list, and has the passkeys of these names."""
        self.wait("document.querySelector('#passkeys')", f"{what}: no list")
        shown = self.browser.run(
            "return [...document.querySelectorAll('section[aria-labelledby=passkeys] strong')]"
            ".map(one => one.innerText)")
        self.expect(sorted(shown) == sorted(names), f"{what}: the list has {shown}")

    def expect_error(self, what):
        self.wait("[...document.querySelectorAll('[role=alert]')].some(one => !one.hidden)",
                  f"{what}: no error")

    def open(self, does_answer=False):
        """Opens the page; without an answer its suggestions wait."""
        self.authenticator.answer(does_answer)
        self.browser.open(f"{self.page}?lang={self.language}")

    def sign_in_by_password(self, account):
        self.open()
        self.browser.type("#email", account.email)
        self.browser.type("#password", PASSWORD)
        self.browser.click("form button")
        self.authenticator.answer(True)

    def sign_in_by_button(self):
        self.open()
        self.wait("!document.querySelector('form[data-passkey]').hidden", "no button")
        self.authenticator.answer(True)
        self.browser.click(PROMPT_BUTTON)

    def sign_out(self):
        self.authenticator.answer(False)
        self.browser.click(act("sign-out"))
        self.wait("document.querySelector('.symbol')", "not signed out")

    def add(self, name):
        """Adds a passkey on the list."""
        self.browser.click(act("passkey-begin"))
        self.browser.type("#name", name)
        self.browser.click(PROMPT_BUTTON)
        self.wait("document.querySelector('[role=status]')", "not added")

    def press_for(self, field, account, name):
        """Presses the button of the list that is about the passkey of a name."""
        [passkey] = [one for one in account.passkeys() if one["name"] == name]
        self.browser.click(f"button[name={field}][value={passkey['passkeyId']}]")

    def rename(self, name):
        """Fills in the form that the page has, or will have in a moment."""
        self.wait("document.querySelector('input[name=act][value=passkey-rename]')", "no form")
        self.browser.run("document.querySelector('#name').value = ''")
        self.browser.type("#name", name)
        self.browser.click(act("passkey-rename"))

    # What a person does.

    def manage(self):
        """Added, signed in by the button and by suggestion, renamed, removed, forgotten."""
        ada = self.account()
        self.sign_in_by_password(ada)
        self.expect_list([], "without one")
        self.add("Ada's phone")
        self.expect_list(["Ada's phone"], "after the addition")
        self.expect(len(self.authenticator.passkeys()) == 1, "the device has not one passkey")
        self.sign_out()
        self.sign_in_by_button()
        self.expect_list(["Ada's phone"], "by the button")
        self.sign_out()
        self.open(does_answer=True)
        self.expect_list(["Ada's phone"], "by suggestion")
        self.press_for("rename", ada, "Ada's phone")
        self.rename("Tablet")
        self.wait("document.querySelector('[role=status]')", "not renamed")
        self.expect_list(["Tablet"], "renamed")
        self.press_for("discard", ada, "Tablet")
        self.browser.click(act("passkey-remove"))
        self.wait("document.querySelector('[role=status]')", "not removed")
        self.expect_list([], "removed")
        self.expect(self.forgotten(), "the browser keeps what the list has no more")
        self.sign_out()

    def forgotten(self):
        """Whether the device has no passkey, after a signal."""
        deadline = time.monotonic() + SHOWN_WITHIN
        while self.authenticator.passkeys() and time.monotonic() < deadline:
            time.sleep(0.05)
        return not self.authenticator.passkeys()

    def refusals(self):
        """A cancelled prompt, an owner who is not recognised, answers with UV unset."""
        ada = self.account()
        self.sign_in_by_password(ada)
        self.browser.click(act("passkey-begin"))
        self.authenticator.verify(False)
        self.browser.click(PROMPT_BUTTON)
        self.expect_error("a cancelled addition")
        self.expect(not ada.passkeys(), "it is added all the same")
        self.authenticator.verify(True)
        self.authenticator.lie(isBadUV=True)
        self.browser.click(PROMPT_BUTTON)
        self.expect_error("an addition with UV unset")
        self.expect(not ada.passkeys(), "it is added with UV unset")
        self.authenticator.lie()
        for credential in self.authenticator.passkeys():
            self.authenticator.forget(credential)
        self.browser.click(PROMPT_BUTTON)
        self.wait("document.querySelector('[role=status]')", "not added after an error")
        self.sign_out()
        self.open()
        self.authenticator.answer(True)
        self.authenticator.verify(False)
        self.browser.click(PROMPT_BUTTON)
        self.expect_error("a cancelled sign-in")
        self.authenticator.verify(True)
        for bits in ({"isBadUV": True}, {"isBadUP": True}, {"isBogusSignature": True}):
            self.open()
            self.authenticator.answer(True)
            self.authenticator.lie(**bits)
            self.browser.click(PROMPT_BUTTON)
            self.authenticator.answer(False)
            self.expect_error(f"a sign-in with {bits}")
            self.authenticator.lie()
        self.sign_in_by_button()
        self.wait("document.querySelector('#passkeys')", "not signed in after errors")
        self.sign_out()
        # Somebody reports that it is not theirs: the browser learns of it when it is used next.
        removed = subprocess.run(
            [self.stack.programs / "postern", "accounts", "passkeys", ada.email, "--remove",
             "--endpoints", self.stack.data / "endpoints.json"],
            capture_output=True, text=True)
        self.expect(removed.returncode == 0, f"not removed by the tool: {removed.stderr}")
        self.sign_in_by_button()
        self.expect_error("a passkey that is removed")
        self.expect(self.forgotten(), "the browser keeps a passkey that nobody has")

    def two_accounts(self):
        """Two accounts on one authenticator: each passkey opens its own."""
        people = [self.account("Ada"), self.account("Bob")]
        for person in people:
            self.sign_in_by_password(person)
            self.add(f"{person.name}'s key")
            self.sign_out()
        self.expect(len(self.authenticator.passkeys()) == 2, "the device has not two passkeys")
        owners = {one["credentialId"]: one["name"]
                  for person in people for one in person.passkeys()}
        for _ in people:
            self.sign_in_by_button()
            self.wait("document.querySelector('#passkeys')", "not signed in")
            # The authenticator takes the latest one, and signing out tells nothing.
            used = [one for one in owners if one in self.authenticator.passkeys()]
            names = self.browser.run(
                "return [...document.querySelectorAll('section[aria-labelledby=passkeys] strong')]"
                ".map(one => one.innerText)")
            self.expect(len(names) == 1 and names[0] in [owners[one] for one in used],
                        f"the list of one of two has {names}")
            self.sign_out()
            for credential, name in owners.items():
                if [name] == names:
                    self.authenticator.forget(credential)
        self.expect(not self.authenticator.passkeys(), "one of two accounts was not opened")

    def other_name(self):
        """By 127.0.0.1, which is no domain, the page has no script and no button."""
        self.browser.open(f"{self.stack.url}/security".replace("localhost", "127.0.0.1"))
        self.browser.element("#email")
        self.expect(self.browser.run(
            "return document.querySelectorAll('script, form[data-passkey]').length") == 0,
            "there is a prompt at 127.0.0.1")

    def frame(self):
        """No page shows /security in a frame."""
        self.browser.open(f"{self.stack.url}/security".replace("localhost", "127.0.0.1"))
        with web_passkey_app.Pages() as pages:
            self.browser.open(f"http://localhost:{pages.port}/")
            web_passkey_app.add_frame(self.browser, self.page)
            self.browser.frame("iframe")
            self.expect(self.browser.run("return document.URL") != self.page,
                        "the page is shown in a frame")

    # Where a second factor is required.

    def required(self):
        """The first one brings codes, is the second proof of a password, and a step-up."""
        ada = self.account()
        self.sign_in_by_password(ada)
        self.add("Ada's phone")
        codes = self.browser.run("return document.querySelectorAll('.codes li').length")
        self.expect(codes == 10, f"{codes} recovery codes are shown")
        # The session was opened by a password alone: a change needs more now.
        self.browser.open(self.page)
        self.press_for("rename", ada, "Ada's phone")
        self.rename("Tablet")
        self.wait("document.querySelector('input[name=kind][value=passkey]')", "no step-up")
        self.browser.click(PROMPT_BUTTON)
        self.rename("Tablet")
        self.wait("document.querySelector('[role=status]')", "not renamed")
        self.expect_list(["Tablet"], "after the step-up")
        self.sign_out()
        self.sign_in_by_password(ada)
        self.wait("document.querySelector('input[name=kind][value=passkey]')", "no second proof")
        self.authenticator.verify(False)
        self.browser.click(PROMPT_BUTTON)
        self.expect_error("a cancelled second proof")
        self.authenticator.verify(True)
        self.browser.click(PROMPT_BUTTON)
        self.expect_list(["Tablet"], "after the second proof")
        self.sign_out()
        self.sign_in_by_button()
        self.expect_list(["Tablet"], "by the passkey alone")
        self.sign_out()

    def run(self, *steps):
        for step in steps:
            try:
                step()
            except (AssertionError, OSError, Refused, ValueError) as error:
                self.expect(False, f"{step.__name__}: {error!r}")
            print(f"  {self.language}: {step.__doc__}")


def outside(browser, origins):
    """Requests of pages to any other origin, and what pages did against their policy."""
    wrong = []
    for event in browser.logged("performance"):
        if event["method"] != "Network.requestWillBeSent":
            continue
        url = event["params"]["request"]["url"]
        origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
        if origin not in origins and not url.startswith(("data:", "chrome:", "about:")):
            wrong.append(f"a page has asked for {url}")
    for line in browser.logged("browser"):
        if "Content Security Policy" in line:
            wrong.append(line)
    return wrong


def control(browser, page):
    """What the browser logs of a page that breaks its policy, so that silence means something."""
    browser.open(page)
    browser.run("const script = document.createElement('script'); script.text = '1';"
                "document.body.append(script);")
    found = outside(browser, [page.rsplit("/", 1)[0]])
    return [] if found else ["a broken policy is not logged"]


def own_page(programs):
    """/security, as `postern up` sets passkeys up."""
    wrong = []
    with WebStack(programs) as stack:
        for language in LANGUAGES:
            with Browser(language=language, is_logged=True) as browser:
                visit = Visit(stack, browser, Authenticator(browser), language)
                steps = [visit.manage]
                if language == "en":
                    wrong += control(browser, visit.page)
                    steps += [visit.refusals, visit.two_accounts]
                visit.run(*steps)
                wrong += visit.wrong + outside(browser, [visit.origin])
        with Browser() as browser:
            visit = Visit(stack, browser, Authenticator(browser))
            visit.run(visit.other_name, visit.frame)
            wrong += visit.wrong
    return wrong


def required_factor(programs):
    """/security where a second factor is required."""
    with WebStack(programs, second_factor="required") as stack:
        with Browser(is_logged=True) as browser:
            visit = Visit(stack, browser, Authenticator(browser))
            visit.run(visit.required)
            return visit.wrong + outside(browser, [visit.origin])


def run(programs):
    """Runs all; returns what is wrong, a line each."""
    return own_page(programs) + required_factor(programs) + web_passkey_app.run(programs)
