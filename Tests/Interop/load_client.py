"""An app's calls of the web service by JSON over HTTP/1.1: kept connections, a deadline for each call,
and repeats as Protos/postern/gateway/repeats.md has them. Uses only Python's own modules.

An app that has several addresses of the service leaves one that ends connections or refuses them.
"""

import asyncio
import json
import random
import ssl
import time
from urllib.parse import urlsplit

# How long an app waits in all, and for one answer before it repeats the call, in seconds.
DEADLINE = 5.0
ANSWER_WITHIN = 2.5
# Between two tries: at once where another address may answer, then twice as long each time.
FIRST_PAUSE, PAUSE_MAX = 0.02, 0.4
# An address that refused a connection, or ended one, is left for this long.
LEFT_FOR = 0.5
# The same call may succeed later.
REPEATED = {"rpc/unavailable", "rpc/deadline-exceeded", "rpc/resource-exhausted"}


class CallFailed(Exception):
    """No good answer within the deadline. `is_open`: whether the call may have been done."""

    def __init__(self, code, text, is_open):
        super().__init__(text)
        self.code, self.is_open = code, is_open


class NoAnswer(Exception):
    """The connection was refused, or ended before the answer."""


class Address:
    """One address of the web service, with its idle connections."""

    def __init__(self, host, port, name, tls):
        self.host, self.port, self.name, self.tls = host, port, name, tls
        self.idle, self.left_until = [], 0.0

    def leave(self):
        """Ends the idle connections; the next calls go elsewhere."""
        self.left_until = time.monotonic() + LEFT_FOR
        for _, writer in self.idle:
            writer.close()
        self.idle = []

    async def connection(self):
        while self.idle:
            reader, writer = self.idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        name = self.name.rsplit(":", 1)[0] if self.tls else None
        return await asyncio.open_connection(
            self.host, self.port, ssl=self.tls, server_hostname=name)


class LoadClient:
    """Calls methods of `postern.gateway.v1`."""

    def __init__(self, urls, app_key, allowed_gap, resolve=(), authority=None):
        """`allowed_gap`: seconds for which a call is repeated; it fails after them. `resolve`: other
        addresses for a host, as `HOST:PORT:ADDRESS`. `authority`: a file of root certificates."""
        self.app_key, self.allowed_gap = app_key, allowed_gap
        self.deadline = max(DEADLINE, allowed_gap + ANSWER_WITHIN)
        self.repeats, self.longest_gap = 0, 0.0
        others = {}
        for text in resolve:
            host, port, address = text.split(":", 2)
            others.setdefault((host, int(port)), []).append(address.strip("[]"))
        self.addresses = []
        for url in urls:
            parts = urlsplit(url)
            tls = ssl.create_default_context(cafile=authority) if parts.scheme == "https" else None
            port = parts.port or (443 if tls else 80)
            for host in others.get((parts.hostname, port), [parts.hostname]):
                self.addresses.append(Address(host, port, parts.netloc, tls))

    async def call(self, method, request, access=None, key=None, client="10.0.0.1"):
        """Makes one call until it is answered; returns the response. `key`: its idempotency key.
        `client`: the address that limits count, if the service trusts this machine as a proxy.
        Throws `CallFailed`."""
        body = json.dumps(request).encode()
        head = {"content-type": "application/json", "x-postern-app": self.app_key,
                "x-forwarded-for": client, "content-length": str(len(body))}
        if access:
            head["authorization"] = "Bearer " + access
        if key:
            head["idempotency-key"] = key
        end = time.monotonic() + self.deadline
        first_refused, pause = None, FIRST_PAUSE
        while True:
            tried = time.monotonic()
            code, reason, waits = await self._try(method, head, body, end)
            if code is None:
                if first_refused is not None:
                    self.longest_gap = max(self.longest_gap, time.monotonic() - first_refused)
                return reason
            if code not in REPEATED:
                raise CallFailed(code, reason, is_open=False)
            first_refused = tried if first_refused is None else first_refused
            pause = max(waits, pause * random.uniform(0.8, 1.2))
            now = time.monotonic()
            left = min(end, first_refused + self.allowed_gap) - now
            if left <= 0.01:
                gap = now - first_refused
                self.longest_gap = max(self.longest_gap, gap)
                raise CallFailed(code, f"for {gap:.2f} s: {reason}", is_open=True)
            # So that the last try is at the end of the gap.
            pause = min(pause, left)
            self.repeats += 1
            await asyncio.sleep(pause)
            pause = min(pause * 2, PAUSE_MAX)

    async def _try(self, method, head, body, end):
        """One try: no code and the response, or a code, its text and the seconds to wait."""
        now = time.monotonic()
        open_ones = [a for a in self.addresses if a.left_until <= now] or self.addresses
        address = random.choice(open_ones)
        try:
            async with asyncio.timeout(max(0.01, min(ANSWER_WITHIN, end - now))):
                status, content = await self._exchange(address, method, head, body)
        except TimeoutError:
            return "rpc/deadline-exceeded", f"no answer within {ANSWER_WITHIN} s", 0.0
        except (OSError, NoAnswer, asyncio.IncompleteReadError, ssl.SSLError) as error:
            address.leave()
            return "rpc/unavailable", f"{type(error).__name__} {error}", 0.0
        try:
            answer = json.loads(content)
        except ValueError:
            # What a proxy says for a server that it cannot reach.
            code = "rpc/unavailable" if status in (502, 503, 504) else "no-json"
            return code, f"{code}: {status} {content[:120]!r}", 0.0
        if status == 200:
            return None, answer, 0.0
        # Earlier builds have it in the detail only.
        detail = next((d["debug"] for d in answer.get("details", ()) if "debug" in d), {})
        waits = int(detail.get("retryAfterMs", 0)) / 1000
        code, text = detail.get("code", f"status-{status}"), answer.get("message", "")
        return code, text if text.startswith(code) else f"{code}: {text}", waits

    async def _exchange(self, address, method, head, body):
        """Sends one request; returns the status and the body of the response."""
        reader, writer = await address.connection()
        is_kept = False
        try:
            lines = [f"POST /postern.gateway.v1.{method} HTTP/1.1", f"host: {address.name}"]
            lines += [f"{name}: {value}" for name, value in head.items()]
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            status, fields = await self._head(reader)
            if fields.get("transfer-encoding") == "chunked":
                content = await self._chunks(reader)
            else:
                content = await reader.readexactly(int(fields.get("content-length", 0)))
            is_kept = fields.get("connection", "").lower() != "close"
            if not is_kept:
                address.leave()
            return status, content
        finally:
            if is_kept:
                address.idle.append((reader, writer))
            else:
                writer.close()

    @staticmethod
    async def _head(reader):
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = text.strip().split("\r\n")
        words = first.split(" ", 2)
        if len(words) < 2 or not words[1].isdigit():
            raise NoAnswer(f"no HTTP: {first[:80]}")
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        return int(words[1]), {name.strip().lower(): value.strip() for name, value in pairs}

    @staticmethod
    async def _chunks(reader):
        content = b""
        while True:
            line = await reader.readline()
            if not line:
                raise NoAnswer("it ends within the body")
            size = int(line.split(b";")[0], 16)
            content += await reader.readexactly(size)
            await reader.readline()
            if size == 0:
                return content

    def close(self):
        for address in self.addresses:
            address.leave()
