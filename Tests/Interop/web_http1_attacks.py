"""Requests of HTTP/1.1 that two servers could read differently, or that hold a connection: raw
bytes against the web service."""

import socket
import time

# What would reach the gateway if it were accepted.
PATH = "/postern.gateway.v1.Auth/CheckAuthState"
# Attacks that the server has to answer take a debug build seconds on a busy machine.
ANSWER_WITHIN = 15.0
# The server's timeout for the fields of a request is 10 s, with a margin for busy machines.
SLOW_HEADER_WITHIN = 16.0
# The server's timeout for a body is 30 s.
SLOW_BODY_WITHIN = 45.0


class HTTP1Attacks:
    """One web service under attack. A case is a method whose name begins with `case_`, or with
    `long_case_` if it takes long."""

    def raw(self, port=None):
        wire = socket.create_connection(("127.0.0.1", port or self.port), timeout=ANSWER_WITHIN)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return wire

    def head(self, *fields, line=f"POST {PATH} HTTP/1.1", host=None):
        """A request's head, with the app's key."""
        lines = [line, f"host: {host or self.authority}", f"x-postern-app: {self.app_key}",
                 "content-type: application/json", *fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def all_responses(self, sent, within=ANSWER_WITHIN):
        """Everything that the server sends until it closes; fails if it does not close."""
        with self.raw() as wire:
            try:
                wire.sendall(sent)
            except (ConnectionResetError, BrokenPipeError):
                pass  # refused before the end
            return self.until_closed(wire, within)

    def until_closed(self, wire, within):
        received, deadline = b"", time.monotonic() + within
        while True:
            wire.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                part = wire.recv(65536)
            except ConnectionResetError:
                return received
            except TimeoutError:
                raise AssertionError(
                    f"still open after {within} s: {received[:60]}", received) from None
            if not part:
                return received
            received += part

    def refused(self, requests, closes=True):
        """The server refuses each request, answers nothing after it, and closes; without `closes`
        it may keep the connection of a request that it could read."""
        wrong = []
        for what, sent in requests:
            try:
                received = self.all_responses(sent, ANSWER_WITHIN if closes else 1.0)
            except AssertionError as error:
                if closes:
                    wrong.append(f"{what}: {error}")
                    continue
                received = error.args[1]
            answers = received.count(b"HTTP/1.1 ")
            status = int(received.split(b" ", 2)[1]) if answers else 400
            if answers > 1 or not 400 <= status < 600 or status == 500:
                wrong.append(f"{what}: {answers} responses, status {status}")
        assert not wrong, "; ".join(wrong)

    def case_smuggled_lengths(self):
        """A body of ambiguous length, and a second request in it that a proxy would not see."""
        inner = self.head("content-length: 2") + b"{}"
        chunked = b"2\r\n{}\r\n0\r\n\r\n"
        old = f"POST {PATH} HTTP/1.0"
        bodies = [
            (["content-length: 4", "transfer-encoding: chunked"], chunked),
            (["transfer-encoding: chunked", "content-length: 4"], chunked),
            (["content-length: 2", "content-length: 50"], b"{}"),
            (["content-length: 2", "content-length: 2"], b"{}"),
            (["content-length: 2, 2"], b"{}"),
            (["content-length: 2, 50"], b"{}"),
            (["content-length: +2"], b"{}"),
            (["content-length: -2"], b"{}"),
            (["content-length: 0x2"], b"{}"),
            (["content-length: 2 2"], b"{}"),
            (["content-length: 99999999999999999999999"], b"{}"),
            (["content-length:"], b"{}"),
            (["transfer-encoding: xchunked"], chunked),
            (["transfer-encoding: identity"], chunked),
            (["transfer-encoding: chunked, identity"], chunked),
            (["transfer-encoding: gzip, chunked"], chunked),
            (["transfer-encoding: \x0bchunked"], chunked),
            (["transfer-encoding: chunked", "transfer-encoding: identity"], chunked),
            (["transfer-encoding: identity", "transfer-encoding: chunked"], chunked),
            (["transfer-encoding : chunked"], chunked),
            (["content-length : 2"], b"{}"),
        ]
        requests = [(fields, self.head(*fields) + body + inner) for fields, body in bodies]
        self.refused(requests + [
            ("1.0", self.head("transfer-encoding: chunked", line=old) + chunked + inner)])

    def case_bad_chunks(self):
        inner = self.head("content-length: 2") + b"{}"
        head = self.head("transfer-encoding: chunked")
        end = b"\r\n{}\r\n0\r\n\r\n"
        self.refused([(body, head + body + inner) for body in [
            b"0x2" + end, b"-2" + end, b"+2" + end, b"FFFFFFFFFFFFFFFFF" + end, b" 2" + end, end,
            b"2\r\n{}0\r\n\r\n", b"2\r\n{}\r\n0\r\nbad\x00: x\r\n\r\n", b"2\n{}\n0\n\n"]])

    def case_malformed_heads(self):
        good = self.head("content-length: 2")
        key, end = f"x-postern-app: {self.app_key}".encode(), b"{}"
        unread = {
            "folded line": good.replace(b"content-type:", b"x-a: b\r\n folded\r\ncontent-type:"),
            "first line folded": good.replace(b"host:", b" x: y\r\nhost:", 1),
            "bare LF": good.replace(b"\r\n", b"\n"),
            "one bare LF": good.replace(b"\r\nx-postern", b"\nx-postern"),
            "bare CR": good.replace(b"\r\nx-postern", b"\rx-postern"),
            "no colon": good.replace(key, key.replace(b":", b"")),
            "empty name": good.replace(b"content-type:", b":"),
            "space in a name": good.replace(b"content-type:", b"content type:"),
            "NUL in a value": good.replace(key, key + b"\0"),
            "NUL in a name": good.replace(b"x-postern-app", b"x-postern\0app"),
            "two hosts": good.replace(key, key + f"\r\nhost: {self.authority}".encode()),
            "another host too": good.replace(key, key + b"\r\nhost: example.org"),
            "no host": good.replace(f"host: {self.authority}\r\n".encode(), b""),
            "authority target": good.replace(f"POST {PATH}".encode(), b"CONNECT example.org:443"),
            "space in the target": good.replace(b"CheckAuthState", b"Check AuthState"),
            "two spaces before the target": good.replace(b"POST ", b"POST  ", 1),
            "two spaces before the version": good.replace(b" HTTP/1.1", b"  HTTP/1.1", 1),
            "a tab before the version": good.replace(b" HTTP/1.1", b"\tHTTP/1.1", 1),
            "a space after the version": good.replace(b"HTTP/1.1", b"HTTP/1.1 ", 1),
            "bytes in the target": good.replace(b"CheckAuthState", b"Check\xff\x01"),
            "unknown version": good.replace(b"HTTP/1.1", b"HTTP/1.9", 1),
            "version 2 by text": good.replace(b"HTTP/1.1", b"HTTP/2.0", 1),
            "TLS without TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
            "a header of 64 KiB": good.replace(key, key + b"\r\nx-a: " + b"a" * 65_536),
            "500 fields": good.replace(key, key + b"".join(
                b"\r\nx-%d: a" % number for number in range(500))),
            "a target of 64 KiB": good.replace(b"CheckAuthState", b"a" * 65_536),
        }
        self.refused([(what, sent + end) for what, sent in unread.items()])
        self.refused([
            ("unknown host", self.head("content-length: 2", host="example.org") + end),
            ("user in the host", self.head("content-length: 2", host="a@" + self.authority) + end),
            ("absolute target", good.replace(b"POST /", b"POST http://example.org/") + end),
            ("TRACE", good.replace(b"POST", b"TRACE") + end),
        ], closes=False)

    def case_body_over_the_limit(self):
        """A megabyte is refused by its length, and by what arrives, also between chunks."""
        chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
        self.refused([
            ("a long body", self.head("content-length: 1000000") + b" " * 1_000_000),
            ("a long chunked body", self.head("transfer-encoding: chunked") + chunk * 64),
            ("a long chunk extension",
             self.head("transfer-encoding: chunked") + b"2;" + b"a" * 1_000_000)])

    def case_pipelined_without_reading(self):
        """A thousand requests at once; the connection ends or each is answered."""
        with self.raw() as wire:
            sent = b"GET /health HTTP/1.1\r\nhost: " + self.authority.encode() + b"\r\n\r\n"
            try:
                wire.sendall(sent * 1_000 + b"GET /health HTTP/1.1\r\nconnection: close\r\nhost: "
                             + self.authority.encode() + b"\r\n\r\n")
            except (ConnectionResetError, BrokenPipeError):
                return
            received = self.until_closed(wire, 15.0)
            assert received.count(b"HTTP/1.1 ") <= 1_001

    def case_slow_headers(self):
        """A byte a second does not hold a connection beyond the time for a request's fields."""
        wires = [self.raw() for _ in range(self.scale(50, 300))]
        head, opened = self.head("content-length: 2"), time.monotonic()
        try:
            for second in range(int(SLOW_HEADER_WITHIN)):
                for wire in wires:
                    try:
                        wire.sendall(head[second:second + 1])
                    except OSError:
                        pass  # closed, as it should be
                time.sleep(max(0, opened + second + 1 - time.monotonic()))
            for wire in wires:
                self.until_closed(wire, 2.0)
        finally:
            for wire in wires:
                wire.close()

    def case_unfinished_handshakes(self):
        """Handshakes of TLS that never end, and bytes that are none."""
        wires = [self.raw(self.tls_port) for _ in range(self.scale(50, 300))]
        try:
            for wire in wires:
                wire.sendall(b"\x16\x03\x01\x02\x00\x01")
            for sent in (b"GET /health HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + bytes(99),
                         b"\x17\x03\x03\x00\x20" + bytes(32), b"\x80\x2e\x01\x00\x02" + bytes(42)):
                with self.raw(self.tls_port) as wire:
                    wire.sendall(sent)
                    self.until_closed(wire, ANSWER_WITHIN)
            opened = time.monotonic()
            for wire in wires:
                self.until_closed(wire, SLOW_HEADER_WITHIN - (time.monotonic() - opened))
        finally:
            for wire in wires:
                wire.close()

    def long_case_slow_body(self):
        """A body that does not arrive is answered with 408 or a close."""
        with self.raw() as wire:
            wire.sendall(self.head("content-length: 1000") + b"{")
            received = self.until_closed(wire, SLOW_BODY_WITHIN)
            assert not received or b" 408 " in received.split(b"\r\n")[0], f"{received[:200]}"

    def case_idle_connections(self):
        """Thousands of connections that send nothing displace themselves only."""
        count = self.scale(1_500, 5_000)
        wires = []
        try:
            for _ in range(count):
                wires.append(self.raw())
            with self.raw() as wire:
                wire.sendall(b"GET /health HTTP/1.1\r\nconnection: close\r\nhost: "
                             + self.authority.encode() + b"\r\n\r\n")
                received = self.until_closed(wire, ANSWER_WITHIN)
                assert received.startswith(b"HTTP/1.1 200"), f"{received[:200]}"
        finally:
            for wire in wires:
                wire.close()
