"""Pages in Chromium: one of an allowed origin signs in with the refresh cookie and refreshes from
two tabs at once; other origins, forms, `no-cors` and sandboxed frames are refused.

Needs Debian's chromium and chromium-driver, whose protocol is WebDriver.
"""

import base64
import contextlib
import http.server
import json
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from flow import PASSWORD
from web_stack import WebStack, free_port

AUTH = "/postern.gateway.v1.Auth/"
APP = "pk_" + "a" * 32
STARTED_WITHIN = 20.0
# Keys, as WebDriver names them.
TAB, ENTER = "\ue004", "\ue007"
# How WebDriver marks an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# More than a page has elements that take the focus.
TABS_MAX = 40
# Pages that may go while an element of theirs is clicked.
PAGES_MAX = 3
# A call of the web service from a page; the result is {status, body} or {error}.
CALL = """
async function call(url, body, options) {
  try {
    const response = await fetch(url, {method: "POST", credentials: "include",
      body: JSON.stringify(body), ...options, headers: {"content-type": "application/json",
      "connect-protocol-version": "1", "x-postern-app": APP, ...(options || {}).headers}});
    const text = await response.text();
    return {status: response.status, body: text ? JSON.parse(text) : null};
  } catch (error) { return {error: String(error)}; }
}
"""


class Pages:
    """An empty page for any path, on a name and a port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = b"<!doctype html><title>page</title><body></body>"
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_):
            pass

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """Chromium without a window, driven by WebDriver."""

    def __init__(self, runs_scripts=True, language="en", is_logged=False):
        """`is_logged`: requests and messages of pages are kept for `logged`."""
        self.logs = {"browser": "ALL", "performance": "ALL"} if is_logged else {}
        # 2 blocks the scripts of pages; those of WebDriver run.
        self.preferences = {"intl.accept_languages": language} | (
            {} if runs_scripts else {"profile.managed_default_content_settings.javascript": 2})

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="postern-browser-")
        port = free_port()
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + STARTED_WITHIN
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if time.monotonic() > deadline:
                raise RuntimeError("chromedriver did not start")
            time.sleep(0.05)
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"prefs": self.preferences, "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                f"--user-data-dir={self.profile.name}"]},
            "goog:loggingPrefs": self.logs,
            # implicit: an element of a page that is still arriving is waited for.
            "timeouts": {"script": 20_000, "pageLoad": 20_000, "implicit": 5_000}}}})
        self.url += f"/session/{session['sessionId']}"
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._send("DELETE", "")
        self.driver.terminate()
        self.driver.wait(10)
        self.profile.cleanup()

    def _send(self, verb, path, body=None):
        data = None if verb != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.url + path, data, {"content-type": "application/json"}, method=verb)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def open(self, url):
        self._send("POST", "/url", {"url": url})

    def title(self):
        return self._send("GET", "/title")

    def address(self):
        """The URL in the address bar."""
        return self._send("GET", "/url")

    def element(self, selector):
        found = self._send("POST", "/element", {"using": "css selector", "value": selector})
        return "/element/" + next(iter(found.values()))

    def type(self, selector, text):
        self._send("POST", self.element(selector) + "/value", {"text": text})

    def click(self, selector):
        """Clicks an element, also if the former page has one like it and goes meanwhile."""
        for _ in range(PAGES_MAX):
            try:
                self._send("POST", self.element(selector) + "/click")
                return
            except urllib.error.HTTPError as error:
                stale = b"stale element reference" in error.read()
                if not stale:
                    raise
        raise AssertionError(f"{selector} is on no page that stays")

    def press_key(self, key):
        """Presses a key, wherever the focus is."""
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def reach(self, selector):
        """Presses Tab until such an element has the focus."""
        self.element(selector)
        for _ in range(TABS_MAX):
            if self.run("return document.activeElement.matches(arguments[0])", selector):
                return
            self.press_key(TAB)
        raise AssertionError(f"Tab does not lead to {selector} on {self.title()}")

    def picture(self, selector):
        """A screenshot of an element, as a PNG with two pixels for each of CSS."""
        # The driver's own screenshot of an element is empty where a page runs no scripts.
        clip = self._send("GET", self.element(selector) + "/rect") | {"scale": 2}
        shot = self.devtools("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def focused(self, attribute):
        """An attribute of the element that has the focus."""
        element = next(iter(self._send("GET", "/element/active").values()))
        return self._send("GET", f"/element/{element}/attribute/{attribute}")

    def devtools(self, command, **parameters):
        """A command of Chromium's DevTools protocol."""
        return self._send(
            "POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def new_tab(self):
        """Opens and selects a tab; its handle."""
        handle = self._send("POST", "/window/new", {"type": "tab"})["handle"]
        self.select(handle)
        return handle

    def tab(self):
        return self._send("GET", "/window")

    def select(self, handle):
        self._send("POST", "/window", {"handle": handle})

    def frame(self, selector):
        """Selects a frame of the page."""
        name = self.element(selector).rsplit("/", 1)[1]
        self._send("POST", "/frame", {"id": {ELEMENT: name}})

    def logged(self, kind):
        """What was logged since the last time: messages of pages ("browser"), or events of the
        DevTools protocol ("performance")."""
        entries = self._send("POST", "/se/log", {"type": kind})
        return [json.loads(entry["message"])["message"] if kind == "performance"
                else entry["message"] for entry in entries]

    def run(self, script, *arguments):
        """Runs a script that returns a value or a promise."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def call(self, url, body, options=None):
        """A call of the web service by the page."""
        script = f"const APP = {json.dumps(APP)}; {CALL} return call(...arguments);"
        return self.run(script, url, body, options or {})


class Visit:
    """One person in the browser; `wrong` has what is wrong."""

    def __init__(self, browser, stack, web, home, foreign):
        self.browser, self.stack, self.wrong = browser, stack, []
        self.web, self.home, self.foreign = web, home, foreign
        self.device = {"deviceId": str(uuid.uuid4()), "platform": "web"}

    def expect(self, claim, what):
        if not claim:
            self.wrong.append(what)

    def auth(self, method, body, options=None):
        return self.browser.call(self.web + AUTH + method, body, options)

    def refresh(self):
        return self.auth("RefreshSession", {"device": self.device})

    def sign_up(self):
        """The page receives no refresh token, and its scripts cannot read the cookie."""
        self.browser.open(self.home)
        answer = self.auth("SignUpWithPassword", {
            "email": f"{uuid.uuid4().hex}@example.org", "password": PASSWORD,
            "device": self.device})
        self.expect(answer.get("status") == 200, f"sign-up: {answer}")
        session = (answer.get("body") or {}).get("session", {})
        self.expect(session.get("accessToken"), f"no access token: {session.keys()}")
        self.expect(not session.get("refreshToken"), "the page has received the refresh token")
        self.expect(self.browser.run("return document.cookie") == "", "scripts read the cookie")
        self.session_id = session.get("sessionId")

    def two_tabs(self):
        """Both tabs refresh at the same moment; both stay signed in, and can refresh again."""
        first = self.browser.tab()
        second = self.browser.new_tab()
        self.browser.open(self.home)
        at_ms = (time.time() + 1.5) * 1000
        script = (f"const APP = {json.dumps(APP)}; {CALL} const [at, ...rest] = arguments;"
                  "window.done = new Promise(resolve => setTimeout("
                  "() => call(...rest).then(resolve), at - Date.now())); return true;")
        for tab in (first, second):
            self.browser.select(tab)
            self.browser.run(
                script, at_ms, self.web + AUTH + "RefreshSession", {"device": self.device}, {})
        for tab in (first, second):
            self.browser.select(tab)
            answer = self.browser.run("return window.done")
            session = (answer.get("body") or {}).get("session", {})
            self.expect(answer.get("status") == 200 and
                        session.get("sessionId") == self.session_id, f"a tab's refresh: {answer}")
        for tab in (second, first):
            self.browser.select(tab)
            answer = self.refresh()
            self.expect(answer.get("status") == 200, f"the next refresh of a tab: {answer}")

    def strangers(self):
        """Nothing that other pages can do reaches the gateway."""
        before = self.stack.gateway_calls()
        url = self.web + AUTH + "RefreshSession"
        for page in (self.foreign, self.home.replace("localhost", "127.0.0.1")):
            self.browser.open(page)
            answer = self.browser.call(url, {"device": self.device})
            self.expect("error" in answer, f"{page} has read {answer}")
        for page in (self.foreign, self.home):
            self.browser.open(page)
            for mode in ({"mode": "no-cors"}, {"mode": "no-cors", "headers": {
                    "content-type": "text/plain"}}):
                answer = self.browser.call(url, {"device": self.device}, mode)
                self.expect(answer.get("status") in (None, 0), f"no-cors from {page}: {answer}")
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
                self.form(page, url, kind)
            self.sandboxed_frame(page, url)
        after = self.stack.gateway_calls()
        self.expect(after == before, f"{after - before:.0f} calls of other pages were made")

    def form(self, page, url, kind):
        """A form of a page; the browser sends the cookie along if it is the site's own."""
        self.browser.open(page)
        self.browser.run("""
            const form = document.createElement("form");
            [form.method, form.action, form.enctype] = ["POST", arguments[0], arguments[1]];
            const input = document.createElement("input");
            [input.name, input.value] = ['{"device":{"deviceId":"d"},"a":"', '"}'];
            form.append(input); document.body.append(form); form.submit(); return true;""",
            url, kind)
        deadline = time.monotonic() + 5
        text = ""
        while '"code"' not in text and time.monotonic() < deadline:
            time.sleep(0.1)
            text = self.browser.run("return document.body ? document.body.innerText : ''")
        self.expect('"code"' in text, f"a form of {page} ({kind}) was answered: {text[:200]}")

    def sandboxed_frame(self, page, url):
        """A frame of any page whose origin is null."""
        self.browser.open(page)
        answer = self.browser.run(f"""
            const script = `const APP = {json.dumps(APP)}; {CALL}
                call(${{JSON.stringify(arguments[0])}}, {{}}).then(
                    answer => parent.postMessage(answer, "*"));`;
            return new Promise(resolve => {{
                addEventListener("message", event => resolve(event.data));
                const frame = document.createElement("iframe");
                frame.sandbox = "allow-scripts";
                frame.srcdoc = "<script>" + script + "</" + "script>";
                document.body.append(frame);
            }});""", url)
        self.expect("error" in answer, f"a sandboxed frame of {page} has read {answer}")

    def sign_out(self):
        """Signing out deletes the cookie."""
        self.browser.open(self.home)
        answer = self.auth("SignOut", {})
        self.expect(answer.get("status") == 200, f"sign-out: {answer}")
        answer = self.refresh()
        self.expect(answer.get("status") in (400, 401), f"a refresh after sign-out: {answer}")

    def run(self):
        for step in (self.sign_up, self.two_tabs, self.strangers, self.sign_out):
            step()
            print(f"  {step.__doc__}")


def run(programs):
    """Runs the browser; returns what is wrong, a line each."""
    with WebStack(programs) as stack, Pages() as pages, Pages() as other, Browser() as browser:
        home = f"http://localhost:{pages.port}/"
        apps = Path(stack.folder.name) / "apps.yaml"
        apps.write_text(f"shop-web:\n  platforms: [web]\n  key: {APP}\n  refresh: cookie\n"
                        f"  origins: ['{home[:-1]}']\n")
        web = f"http://localhost:{free_port()}"
        stack.web_with([web], apps_file=str(apps), trusted_proxies="")
        visit = Visit(browser, stack, web, home, f"http://127.0.0.1:{other.port}/")
        visit.run()
        return visit.wrong
