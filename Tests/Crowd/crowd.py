"""Many clients of one server, in a separate process, with the standard library alone: the growth of
the server's process is then the server's own.

    crowd.py PORT KEY-FILE [--tls]

Reads commands from its input, a line each, and answers each with a line:

    idle N     N more clients that send a Hello, make a call, and are idle then
    slow N     N more clients that send a byte every ten seconds, half of them after a Hello; a
               client that is disconnected connects again when its next byte is due
    watch N    N streams of Health/Watch on few connections
    follow N   N streams of Verification/WatchRevocations on few connections
    mark       resets the count of revocations that followers received
    told       the number of followers that received a revocation since the mark, and the times:
               the median, the 99th percentile and the last, in milliseconds since the mark
    count      open connections, received items, reconnects of slow clients
    leave      closes all connections
"""

import hashlib
import resource
import selectors
import socket
import ssl
import struct
import sys
import time
from pathlib import Path

from signature import PrivateKey

SERVICE = "postern.gateway"
CHECK, WATCH = (f"postern.health.v1.Health/{name}" for name in ("Check", "Watch"))
FOLLOW = "postern.gateway.v1.Verification/WatchRevocations"
SESSION = b"ses_"  # the prefix of session ids: an item that contains it is a revocation
HELLO, REQUEST, RESPONSE, ITEM = 1, 2, 3, 4  # kinds of frames
STREAMS_EACH = 1_000  # of a connection; a server accepts 1,024 calls on each
STREAM_CREDIT = 1_000_000  # items that may arrive without further Credit
GAP_SECONDS = 10  # between two bytes of a slow client
PATIENCE_SECONDS = 20


def varint(number):
    taken = bytearray()
    while number > 127:
        taken.append(number & 127 | 128)
        number >>= 7
    return bytes(taken + bytes([number]))


def field(number, value):
    """A field of a protobuf message: an integer, or bytes, text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(kind, message):
    body = field(kind, message)
    return struct.pack(">I", len(body)) + body


def read_varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at


def fields(message):
    """The fields of a message by number; the last of each number."""
    found, at = {}, 0
    while at < len(message):
        key, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        found[key >> 3] = value
    return found


class Key:
    def __init__(self, file):
        self.application, self.id = Path(file).name.removesuffix(".key").rsplit(".", 1)
        self.key = PrivateKey(Path(file).read_bytes())

    def hello(self, challenge, leaf_hash):
        """A Hello that proves the key (Protos/README.md)."""
        names = (SERVICE, self.application, self.id)
        covered = b"postern/1 hello\0" + challenge
        for name in names:
            covered += struct.pack(">H", len(name)) + name.encode()
        proof = self.key.sign(covered + leaf_hash)
        return frame(HELLO, field(1, 1) + field(4, STREAM_CREDIT) + field(5, 10_000)
                     + b"".join(field(8 + place, name) for place, name in enumerate(names))
                     + field(11, proof))


class Caller:
    """One connection."""

    def __init__(self, crowd):
        self.next_byte = 0.0
        self.is_greeted = False
        self.unread = b""
        self.socket = socket.create_connection(("127.0.0.1", crowd.port), PATIENCE_SECONDS)
        self.leaf_hash = bytes(32)
        if crowd.tls:
            self.socket = crowd.tls.wrap_socket(self.socket)
            self.leaf_hash = hashlib.sha256(self.socket.getpeercert(binary_form=True)).digest()

    def greet(self, key):
        self.is_greeted = True
        kind, message = self.receive()
        assert kind == HELLO, f"a frame of kind {kind} for a Hello"
        self.socket.sendall(key.hello(fields(message)[6], self.leaf_hash))

    def call(self):
        self.socket.sendall(frame(REQUEST, field(1, 1) + field(2, CHECK) + field(3, 10_000)))
        while True:
            kind, message = self.receive()
            if kind == RESPONSE:
                assert 2 not in fields(message), f"refused: {message}"
                return

    def watch(self, method, count):
        for call in range(1, count + 1):
            self.socket.sendall(
                frame(REQUEST, field(1, call) + field(2, method) + field(3, 3_600_000)))

    def receive(self):
        length, = struct.unpack(">I", self.take(4))
        (kind, message), = fields(self.take(length)).items()
        return kind, message

    def take(self, count):
        while len(self.unread) < count:
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError("closed")
            self.unread += got
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken


class Crowd:
    def __init__(self, port, key, is_tls):
        self.port, self.key, self.tls = int(port), Key(key), None
        if is_tls:
            # The server is measured here; the crowd need not verify its certificate.
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self.tls.check_hostname, self.tls.verify_mode = False, ssl.CERT_NONE
            self.tls.set_alpn_protocols(["postern/1"])
        self.selector = selectors.DefaultSelector()
        self.callers, self.slow = set(), []
        self.items = self.returns = 0
        self.marked_at, self.told = time.monotonic(), []

    def add(self, caller):
        caller.socket.setblocking(False)
        self.selector.register(caller.socket, selectors.EVENT_READ, caller)
        self.callers.add(caller)
        return caller

    def remove(self, caller):
        self.selector.unregister(caller.socket)
        caller.socket.close()
        self.callers.discard(caller)

    def obey(self, order):
        word, _, number = order.partition(" ")
        return getattr(self, f"do_{word}")(*([int(number)] if number else []))

    def do_idle(self, count):
        for _ in range(count):
            caller = Caller(self)
            caller.greet(self.key)
            caller.call()
            self.add(caller)

    def do_slow(self, count):
        now = time.monotonic()
        for number in range(count):
            caller = self.slow_one(number % 2 == 0)
            caller.next_byte = now + GAP_SECONDS * number / count
            self.slow.append(caller)

    def slow_one(self, is_greeted):
        caller = Caller(self)
        if is_greeted:
            caller.greet(self.key)
        return self.add(caller)

    def do_watch(self, count, method=WATCH):
        while count > 0:
            caller = Caller(self)
            caller.greet(self.key)
            caller.watch(method, min(count, STREAMS_EACH))
            self.add(caller)
            count -= STREAMS_EACH

    def do_follow(self, count):
        self.do_watch(count, FOLLOW)

    def do_mark(self):
        self.marked_at, self.told = time.monotonic(), []

    def do_told(self):
        times = sorted(round((at - self.marked_at) * 1_000) for at in self.told)
        places = [len(times) // 2, len(times) * 99 // 100, len(times) - 1]
        return " ".join(map(str, [len(times)] + [times[place] for place in places if times]))

    def do_count(self):
        return f"{len(self.callers)} {self.items} {self.returns}"

    def do_leave(self):
        self.slow = []
        for caller in list(self.callers):
            self.remove(caller)

    def hear(self, caller):
        """Reads the frames that have arrived and counts them."""
        if caller not in self.callers:
            return  # it has left in the meantime
        is_over, at = False, 0
        try:
            while got := caller.socket.recv(262_144):
                caller.unread += got
            is_over = True
        except (BlockingIOError, ssl.SSLWantReadError):
            pass
        except OSError:
            is_over = True
        while len(caller.unread) > at + 4:
            end = at + 4 + struct.unpack_from(">I", caller.unread, at)[0]
            if len(caller.unread) < end:
                break
            self.items += caller.unread[at + 4] == ITEM << 3 | 2
            if caller.unread.find(SESSION, at, end) >= 0:
                self.told.append(time.monotonic())
            at = end
        caller.unread = caller.unread[at:]
        if is_over:
            self.remove(caller)

    def trickle(self):
        """Sends the next byte of each slow client that is due, or reconnects it."""
        now = time.monotonic()
        for place, caller in enumerate(self.slow):
            if caller.next_byte > now:
                continue
            if caller not in self.callers:
                self.returns += 1
                self.slow[place] = caller = self.slow_one(caller.is_greeted)
            else:
                try:
                    caller.socket.send(b"\0")
                except OSError:
                    self.remove(caller)
            caller.next_byte = now + GAP_SECONDS

    def run(self):
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)
        while True:
            for ready, _ in self.selector.select(0.1):
                if ready.data is not None:
                    self.hear(ready.data)
                    continue
                order = sys.stdin.readline().strip()
                if not order:
                    return
                print("done", order, self.obey(order) or "", flush=True)
            self.trickle()


if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Crowd(sys.argv[1], sys.argv[2], "--tls" in sys.argv[3:]).run()
