"""Frames of HTTP/2 that cost a server much or break its state, from raw bytes."""

import socket
import struct
import time

import hpack

from web_http1_attacks import ANSWER_WITHIN, PATH

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, \
    CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, WITH_PRIORITY = 0x1, 0x1, 0x4, 0x8, 0x20
INITIAL_WINDOW_SIZE = 4
# A client that takes nothing of its responses is closed after 30 s.
UNREAD_WITHIN = 50.0
# Requests of each such client: they are answered, which costs a debug build milliseconds each.
UNREAD_STREAMS = 20


class Ended(Exception):
    """The server has sent GOAWAY or closed the connection."""


class HTTP2Wire:
    """A connection on which any frame can be sent."""

    def __init__(self, port, settings=()):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_WITHIN)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.encoder, self.unread, self.is_over = hpack.Encoder(), b"", False
        payload = b"".join(struct.pack(">HI", *setting) for setting in settings)
        self.write(PREFACE + self.bytes(SETTINGS, 0, 0, payload))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @staticmethod
    def bytes(kind, flags, stream, payload=b"", length=None):
        size = len(payload) if length is None else length
        return struct.pack(">I", size)[1:] + struct.pack(">BBI", kind, flags, stream) + payload

    def write(self, data):
        try:
            self.socket.sendall(data)
        except TimeoutError:
            # The server reads no more from a client that does not read.
            raise Ended from None
        except OSError:
            raise Ended from None

    def send(self, kind, flags, stream, payload=b""):
        self.write(self.bytes(kind, flags, stream, payload))

    def headers(self, stream, fields, flags=END_HEADERS | END_STREAM):
        self.send(HEADERS, flags, stream, self.encoder.encode(fields))

    def receive(self, within=ANSWER_WITHIN):
        """The next frame: kind, flags, stream, payload; raises Ended after the last."""
        head = self._take(9, within)
        size = int.from_bytes(head[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self._take(size, within)
        if kind == GOAWAY:
            raise Ended
        return kind, flags, stream, payload

    def _take(self, count, within):
        deadline = time.monotonic() + within
        while len(self.unread) < count:
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                part = self.socket.recv(65536)
            except ConnectionResetError:
                part = b""
            if not part:
                raise Ended
            self.unread += part
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken

    def until_ended(self, within=ANSWER_WITHIN):
        """Fails if the server does not end the connection."""
        deadline = time.monotonic() + within
        try:
            while True:
                self.receive(max(0.01, deadline - time.monotonic()))
        except Ended:
            return
        except TimeoutError:
            raise AssertionError(f"still open after {within} s") from None


class HTTP2Attacks:
    """One web service under attack: the cases of HTTP/2."""

    def wire(self, settings=()):
        return HTTP2Wire(self.port, settings)

    def fields(self, *more, key=True):
        """A call's fields; with the app's key it would reach the gateway."""
        return [(":method", "POST"), (":scheme", "http"), (":authority", self.authority),
                (":path", PATH), ("content-type", "application/json"),
                *([("x-postern-app", self.app_key)] if key else []), *more]

    def floods(self, wire, frames, count, within=ANSWER_WITHIN):
        """Sends frames until the server ends the connection, which it must."""
        try:
            for start in range(0, count, 100):
                wire.write(b"".join(frames(number) for number in range(start, start + 100)))
        except Ended:
            return
        wire.until_ended(within)

    def rejected(self, what, act):
        """The stream is reset or refused, or the connection ends; it is not answered with 200."""
        with self.wire() as wire:
            try:
                act(wire)
                decoder, deadline = hpack.Decoder(), time.monotonic() + ANSWER_WITHIN
                while time.monotonic() < deadline:
                    kind, _, _, payload = wire.receive()
                    if kind == RST_STREAM:
                        return
                    if kind == HEADERS:
                        status = dict(decoder.decode(payload)).get(":status", "")
                        assert status[:1] == "4" or status == "501", f"{what}: status {status}"
                        return
                raise AssertionError(f"{what}: no answer")
            except Ended:
                return
            except TimeoutError:
                raise AssertionError(f"{what}: no answer") from None

    def case_rapid_reset(self):
        """CVE-2023-44487: streams that are opened and reset at once."""
        with self.wire() as wire:
            block = literal_block(self.fields(key=False))

            def frames(number):
                stream = 2 * number + 1
                return (wire.bytes(HEADERS, END_HEADERS | END_STREAM, stream, block)
                        + wire.bytes(RST_STREAM, 0, stream, struct.pack(">I", 8)))

            self.floods(wire, frames, self.scale(5_000, 100_000))

    def case_resets_by_the_server(self):
        """CVE-2025-8671: streams that the client makes the server reset."""
        with self.wire() as wire:
            block = literal_block(self.fields(key=False))

            def frames(number):
                stream = 2 * number + 1
                return (wire.bytes(HEADERS, END_HEADERS, stream, block)
                        + wire.bytes(WINDOW_UPDATE, 0, stream, struct.pack(">I", 0)))

            self.floods(wire, frames, self.scale(5_000, 50_000))

    def case_continuation_flood(self):
        """CVE-2024-27316: a block of fields without an end, in large and in empty frames."""
        for payload in (b"", b"\x00\x03abc\x03def" * 100):
            with self.wire() as wire:
                wire.headers(1, self.fields(key=False), flags=0)
                self.floods(wire, lambda _: wire.bytes(CONTINUATION, 0, 1, payload),
                            self.scale(2_000, 20_000))

    def case_settings_and_ping_floods(self):
        """Control frames whose answers are not read."""
        for kind, payload in ((SETTINGS, b""), (PING, bytes(8)),
                              (SETTINGS, struct.pack(">HI", INITIAL_WINDOW_SIZE, 1))):
            with self.wire() as wire:
                self.floods(wire, lambda _: wire.bytes(kind, 0, 0, payload),
                            self.scale(20_000, 200_000))

    def case_frames_that_cost_nothing(self):
        """Empty data, priorities, unknown frames and padding in large numbers: memory and other
        callers are not affected, whether the connection ends or not."""
        for frame in (HTTP2Wire.bytes(DATA, 0, 1), HTTP2Wire.bytes(0x5F, 0, 0, bytes(16)),
                      HTTP2Wire.bytes(PRIORITY, 0, 3, struct.pack(">IB", 1, 1)),
                      HTTP2Wire.bytes(DATA, PADDED, 1, b"\xff" + bytes(255)),
                      HTTP2Wire.bytes(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
                      HTTP2Wire.bytes(WINDOW_UPDATE, 0, 1, struct.pack(">I", 1))):
            with self.wire() as wire:
                try:
                    wire.headers(1, self.fields(key=False), flags=END_HEADERS)
                    for _ in range(self.scale(50, 500)):
                        wire.write(frame * 100)
                except Ended:
                    pass

    def case_windows(self):
        """Windows that overflow, and increments of nothing."""
        most, nothing = struct.pack(">I", 2 ** 31 - 1), struct.pack(">I", 0)
        for stream, increment in ((0, most), (0, nothing)):
            with self.wire() as wire:
                wire.send(WINDOW_UPDATE, 0, stream, increment)
                if increment == most:
                    wire.send(WINDOW_UPDATE, 0, stream, increment)
                wire.until_ended()
        for increment in (most, nothing):
            def overflow(wire):
                wire.headers(1, self.fields(key=False), flags=END_HEADERS)
                wire.send(WINDOW_UPDATE, 0, 1, increment)
                wire.send(WINDOW_UPDATE, 0, 1, increment)
            self.rejected("a window", overflow)
        with self.wire() as wire:  # every later stream's window would be too large
            wire.send(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, 2 ** 31))
            wire.until_ended()

    def unread(self, wires):
        """Requests whose responses find no window."""
        for wire in wires:
            for number in range(UNREAD_STREAMS):
                wire.headers(2 * number + 1, self.fields(key=False))

    def case_responses_without_window(self):
        """A client that gives no window holds no memory beyond its responses."""
        wires = [self.wire([(INITIAL_WINDOW_SIZE, 0)]) for _ in range(self.scale(10, 20))]
        try:
            self.unread(wires)
            time.sleep(2)
        finally:
            for wire in wires:
                wire.socket.close()

    def long_case_response_never_taken(self):
        """The connection of a client that takes nothing ends."""
        with self.wire([(INITIAL_WINDOW_SIZE, 0)]) as wire:
            self.unread([wire])
            deadline = time.monotonic() + UNREAD_WITHIN
            resets = 0
            try:
                while time.monotonic() < deadline and resets < UNREAD_STREAMS:
                    kind, *_ = wire.receive(max(0.01, deadline - time.monotonic()))
                    resets += kind == RST_STREAM
            except Ended:
                return
            except TimeoutError:
                pass
            assert resets == UNREAD_STREAMS, f"{resets} of {UNREAD_STREAMS} streams ended"

    def case_pseudo_headers(self):
        """Fields that HTTP/1.1 and HTTP/2 read differently."""
        good = self.fields()
        for what, fields in {
            "a pseudo-header after a field": good[:3] + good[4:] + [good[3]],
            "no path": good[:3] + good[4:], "no method": good[1:], "no scheme": good[:1] + good[2:],
            "an empty path": good[:3] + [(":path", "")] + good[4:],
            "a path without /": good[:3] + [(":path", PATH[1:])] + good[4:],
            "another host in the path":
                good[:3] + [(":path", "http://example.org" + PATH)] + good[4:],
            "two paths": good[:4] + [(":path", PATH)] + good[4:],
            "two methods": good[:1] + good, "an unknown one": [(":unknown", "x")] + good,
            "a response's": [(":status", "200")] + good,
            "another authority": good + [("host", "example.org")],
            "an unknown authority": good[:2] + [(":authority", "example.org")] + good[3:],
            "upper case": good + [("X-A", "b")], "an empty name": good + [("", "b")],
            "a space in a name": good + [("x a", "b")], "CR LF in a value": good + [
                ("x-a", "b\r\nx-postern-app: c")],
            "NUL in a value": good + [("x-a", "b\0")],
            "connection": good + [("connection", "close")],
            "transfer-encoding": good + [("transfer-encoding", "chunked")],
            "keep-alive": good + [("keep-alive", "5")], "upgrade": good + [("upgrade", "h2c")],
            "te": good + [("te", "gzip")], "a wrong length": good + [("content-length", "10")],
            "two lengths": good + [("content-length", "0"), ("content-length", "2")],
            "a header of 64 KiB": good + [(f"x-{number}", "a" * 4_000) for number in range(16)],
            "CONNECT": [(":method", "CONNECT"), (":authority", "example.org:443")],
        }.items():
            self.rejected(what, lambda wire: wire.send(
                HEADERS, END_HEADERS | END_STREAM, 1, literal_block(fields)))

    def case_compression_bomb(self):
        """A kilobyte of references to one large field is a megabyte of fields."""
        def bomb(wire):
            wire.encoder.encode([("x-a", "a" * 4_000)])
            block = wire.encoder.encode(self.fields() + [("x-a", "a" * 4_000)])
            wire.send(HEADERS, END_HEADERS | END_STREAM, 1, block + b"\xbe" * 4_000)
        self.rejected("a compression bomb", bomb)
        with self.wire() as wire:  # the same in trailers, which are read though they are dropped
            wire.encoder.encode([("x-a", "a" * 4_000)])
            block = wire.encoder.encode(self.fields(key=False) + [("x-a", "a" * 4_000)])
            wire.write(wire.bytes(HEADERS, END_HEADERS, 1, block)
                       + wire.bytes(HEADERS, END_HEADERS | END_STREAM, 1, b"\xbe" * 16_000))
            try:
                # Trailers that come after the answer are not read as fields.
                while wire.receive()[0] != HEADERS:
                    pass
            except Ended:
                pass
        for block in (b"\x80", b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x3f\xe1\xff\xff\x7f"):
            with self.wire() as wire:  # index 0, an integer without end, a table of a gigabyte
                wire.send(HEADERS, END_HEADERS | END_STREAM, 1, block)
                wire.until_ended()

    def case_frames_out_of_place(self):
        """Frames that a client may not send, or not there, end the connection."""
        frame = HTTP2Wire.bytes
        block = literal_block(self.fields(key=False))
        opened = frame(HEADERS, END_HEADERS, 1, block)
        for what, sent in {
            "data without a stream": frame(DATA, 0, 0, b"{}"),
            "data on an idle stream": frame(DATA, 0, 5, b"{}"),
            "a stream of the server's": frame(HEADERS, END_HEADERS | END_STREAM, 2, block),
            "push": opened + frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2) + block),
            "a frame between fields": frame(HEADERS, 0, 1, block) + frame(PING, 0, 0, bytes(8)),
            "fields that continue none": opened + frame(CONTINUATION, END_HEADERS, 1, block),
            "padding longer than the frame":
                frame(HEADERS, END_HEADERS | PADDED, 1, b"\xff" + block[:9]),
            "a long frame": opened + frame(DATA, 0, 1, bytes(16_385)),
            "a frame of 16 MiB": frame(DATA, 0, 1, b"", length=2 ** 24 - 1) + bytes(65_536),
            "a short PING": frame(PING, 0, 0, bytes(7)),
            "SETTINGS on a stream": frame(SETTINGS, 0, 1),
            "SETTINGS of 5 bytes": frame(SETTINGS, 0, 0, bytes(5)),
            "ACK with content": frame(SETTINGS, ACK, 0, bytes(6)),
            "a reset of an idle stream": frame(RST_STREAM, 0, 9, struct.pack(">I", 8)),
        }.items():
            with self.wire() as wire:
                try:
                    wire.write(sent)
                except Ended:
                    continue
                try:
                    wire.until_ended()
                except AssertionError as error:
                    raise AssertionError(f"{what}: {error}") from None

    def case_older_stream(self):
        """Fields on a stream that was skipped, which is closed then, are not answered. They do not
        end the connection: trailers may cross with a reset."""
        with self.wire() as wire:
            block = literal_block(self.fields(key=False))
            for stream in (7, 1):
                wire.send(HEADERS, END_HEADERS | END_STREAM, stream, block)
            wire.send(PING, 0, 0, bytes(8))
            answered, pinged = set(), False
            while not (pinged and 7 in answered):
                kind, flags, stream, _ = wire.receive()
                pinged |= kind == PING and flags & ACK != 0
                if kind in (HEADERS, DATA):
                    answered.add(stream)
            assert answered == {7}, f"answered on {answered}"

    def case_more_streams_than_allowed(self):
        """Of a thousand open streams, those above the limit are refused."""
        with self.wire() as wire:
            block = literal_block(self.fields(key=False))
            try:
                wire.write(b"".join(wire.bytes(HEADERS, END_HEADERS, 2 * number + 1, block)
                                    for number in range(1_000)))
                refused = 0
                while refused < 100:
                    kind, *_ = wire.receive()
                    refused += kind == RST_STREAM
            except Ended:
                return
            except TimeoutError:
                raise AssertionError("a thousand streams are open") from None

    def case_slow_preface(self):
        """A preface that never ends, and one that is wrong."""
        with self.raw() as wire:
            wire.sendall(PREFACE[:-1] + b"X" + bytes(64))
            self.until_closed(wire, ANSWER_WITHIN)
        with self.raw() as wire:
            wire.sendall(PREFACE[:10])
            self.until_closed(wire, 16.0)


def literal_block(fields):
    """Fields as literals without indexing, also those that no encoder writes."""
    def text(value):
        data = value.encode("latin-1")
        if len(data) < 127:
            return bytes([len(data)]) + data
        rest, out = len(data) - 127, b"\x7f"
        while rest >= 128:
            out, rest = out + bytes([rest & 0x7F | 0x80]), rest >> 7
        return out + bytes([rest]) + data
    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields)
