"""The QR codes of /security with hostile names of apps and addresses: zbarimg reads them from
Chromium's screen, as a phone does, pyotp reads the address in them, and pyotp and oathtool show the
code that the page accepts.

Needs Debian's chromium, chromium-driver, zbar-tools and oathtool.
"""

import subprocess
import time
import uuid

import pyotp

from cluster import Cluster
from flow import PASSWORD
from postern_client import CallFailed
from web_browser import Browser
from web_pages import SETTINGS, Visit

APPS = ["Tea & Cake + 1", "100 % #1?", "Aé日本 𝒳", "a:b: c", "<x y=\"z\">/..//", "+%20&amp;"]
# A field of a form takes what HTML calls an address, and no other letters.
NAMES = ["ada", "ada+phone", "o'brien&sons=1", "%00?secret", "#/{}|~"]


def set_up(cluster, browser, app, name):
    """Sets an authenticator app up by its picture; returns what is wrong, a line each."""
    visit = Visit(cluster, browser, None, "en")
    visit.email = f"{name}.{uuid.uuid4().hex[:12]}@example.org"
    visit.sign_up(visit.email, 30)
    visit.sign_in_here(PASSWORD)
    visit.act("begin")
    browser.element("code")
    shown = browser.run("return document.querySelector('code').innerText").replace(" ", "")
    read = pyotp.parse_uri(visit.scanned())
    # A colon would separate the two names.
    visit.expect(read.issuer == app.replace(":", ""), f"{app} is read as {read.issuer}")
    visit.expect(read.name == visit.email, f"{visit.email} is read as {read.name}")
    visit.expect(read.secret == shown, f"{shown} is read as {read.secret}")
    now = int(time.time())
    code = subprocess.run(
        ["oathtool", "--totp", "--base32", "-N", f"@{now}", read.secret],
        capture_output=True, check=True, text=True, timeout=30).stdout.strip()
    visit.expect(code == read.at(now), f"oathtool shows {code}, pyotp {read.at(now)}")
    visit.type("code", code)
    visit.act("confirm")
    browser.element(".codes li")
    visit.sign_out_here()
    return [f"{app}, {name}: {line}" for line in visit.wrong]


def run(programs):
    """Reads all; returns what is wrong, a line each."""
    wrong = []
    for app in APPS:
        with Cluster(programs, settings={**SETTINGS, "POSTERN_APP_NAME": app}) as cluster, \
                Browser(runs_scripts=False) as browser:
            for name in NAMES if app == APPS[0] else NAMES[:1]:
                try:
                    wrong += set_up(cluster, browser, app, name)
                except (AssertionError, CallFailed, OSError, TimeoutError, ValueError,
                        subprocess.SubprocessError) as error:
                    wrong.append(f"{app}, {name}: {error!r}")
    return wrong
