"""Few addresses try to hold all places of the web service: requests whose body does not come, whose
window is closed or opens slowly for ever, connections, bundles and streams. Another client is served
as before. A trusted proxy names the attackers' addresses, 5 or 50 of them.

Each attack says what it reached, since a share that holds because its attackers are slow proves
nothing.
"""

import re
import resource
import selectors
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

from hpack.hpack import encode_integer

from web_http2_attacks import (
    END_HEADERS, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, PREFACE, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, HTTP2Wire)
from web_stack import metrics_page

# Connections that all attackers together open again in a second.
REOPENED = 200
# Of the places that the attackers can hold, at least so much, within so many seconds.
REACHED_WITHIN = 15
REACHED_MIN = 0.8
# The attackers, the programs, and perhaps other builds are on the same two cores.
P99_MS_MAX = {False: 500, True: 100}
SLOWEST_MS_MAX = {False: 3_000, True: 1_000}
# The limits of the web service (`WebLimits`), and an address's share.
REQUESTS_MAX, REQUESTS_PER_ADDRESS = 2_000, 400
CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS = 10_000, 200
OWN_STREAMS_MAX, OWN_STREAMS_PER_ADDRESS = 62, 12


class Attacker:
    """One address: its connections, and what it sends on them. What ends is opened again, once
    a second on each connection: more would be a flood of requests, which is another attack."""

    connections = 4
    streams = 100
    settings = ()

    def __init__(self, stack, address, addresses):
        self.stack, self.address, self.sent = stack, address, 0
        if addresses > 5 and self.streams == 100:
            # Together half as many again as there are places.
            self.connections, self.streams = 1, 60
        self.authority = stack.url.split("://", 1)[1]

    def open(self):
        wire = socket.create_connection(("127.0.0.1", self.stack.port), timeout=5)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire.sendall(f"PROXY TCP4 {self.address} 127.0.0.1 5000 7480\r\n".encode() + self.start())
        wire.setblocking(False)
        return wire

    def start(self):
        """The first bytes of a connection."""
        payload = b"".join(struct.pack(">HI", *setting) for setting in self.settings)
        self.sent += self.streams
        return PREFACE + HTTP2Wire.bytes(SETTINGS, 0, 0, payload) + b"".join(
            self.request(2 * number + 1) for number in range(self.streams))

    def request(self, stream):
        """One request of HTTP/2."""
        block = b"".join(literal(name, value) for name, value in self.fields())
        return HTTP2Wire.bytes(HEADERS, self.flags, stream, block)

    flags = END_HEADERS

    def fields(self):
        return [(":method", "POST"), (":scheme", "http"), (":authority", self.authority),
                (":path", "/grpc.health.v1.Health/Check"), ("content-type", "application/json")]

    def received(self, wire, state, data):
        """The server has sent something."""
        state["unread"] += data
        while len(state["unread"]) >= 9:
            size = int.from_bytes(state["unread"][:3], "big")
            if len(state["unread"]) < 9 + size:
                break
            state["ended"] += state["unread"][3] == RST_STREAM
            state["unread"] = state["unread"][9 + size:]

    def tick(self, wire, state):
        """Every second: another stream for one that the server has ended."""
        if state["ended"]:
            state["ended"] -= 1
            wire.send(self.request(state["next"]))
            state["next"] += 2
            self.sent += 1


class Bodies(Attacker):
    """Calls whose body does not come."""


class Windows(Attacker):
    """Documents for which there is no window."""

    settings = ((INITIAL_WINDOW_SIZE, 0),)
    flags = END_HEADERS | END_STREAM

    def fields(self):
        return [(":method", "GET"), (":scheme", "http"), (":authority", self.authority),
                (":path", "/openapi.json")]


class Trickles(Windows):
    """Documents whose windows open by a little, for ever."""

    def tick(self, wire, state):
        super().tick(wire, state)
        first = max(1, state["next"] - 2 * self.streams)
        wire.send(b"".join(
            HTTP2Wire.bytes(WINDOW_UPDATE, 0, stream, struct.pack(">I", 100))
            for stream in range(first, state["next"], 2)))


class Connections(Attacker):
    """Connections that have had one request."""

    connections = CONNECTIONS_PER_ADDRESS
    streams = 0

    def start(self):
        self.sent += 1
        return f"GET /health HTTP/1.1\r\nhost: {self.authority}\r\n\r\n".encode()

    def received(self, wire, state, data):
        pass


class Bundles(Attacker):
    """Bundles that arrive slowly."""

    connections = 40
    streams = 1

    def start(self):
        self.sent += 1
        return (f"PUT /v1/guest-bundle HTTP/1.1\r\nhost: {self.authority}\r\n"
                f"x-postern-app: {self.stack.app_key}\r\nauthorization: Bearer none\r\n"
                "content-type: application/json\r\ncontent-length: 2000000\r\n\r\n{").encode()

    def received(self, wire, state, data):
        pass

    def tick(self, wire, state):
        wire.send(b" ")


class Streams(Attacker):
    """Streams of health, which need no key."""

    connections = 2
    streams = 16
    flags = END_HEADERS

    def fields(self):
        return [(":method", "POST"), (":scheme", "http"), (":authority", self.authority),
                (":path", "/grpc.health.v1.Health/Watch"), ("te", "trailers"),
                ("content-type", "application/grpc")]

    def request(self, stream):
        return super().request(stream) + HTTP2Wire.bytes(0, END_STREAM, stream, bytes(5))


def literal(name, value):
    """A field of HPACK without indexing, for encoders without state."""
    return b"\0" + bytes([len(name)]) + name.encode() + encode_integer(
        len(value), 7) + value.encode()


class Siege:
    """All attackers of one attack, on one thread."""

    def __init__(self, stack, attacker, addresses):
        self.attackers = [attacker(stack, f"192.0.2.{number + 1}", addresses) for number in range(addresses)]
        self.over, self.to_open = threading.Event(), []
        self.selector, self.wires = selectors.DefaultSelector(), {}
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        for attacker in self.attackers:
            for _ in range(attacker.connections):
                self.open(attacker)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for wire in list(self.wires):
            wire.close()
        self.selector.close()

    def open(self, attacker):
        try:
            wire = attacker.open()
        except OSError:
            return
        self.wires[wire] = (
            attacker, {"unread": b"", "ended": 0, "next": 2 * attacker.streams + 1})
        self.selector.register(wire, selectors.EVENT_READ)

    def ended(self, wire):
        attacker, _ = self.wires.pop(wire)
        self.selector.unregister(wire)
        wire.close()
        self.to_open.append(attacker)

    def run(self):
        ticked = time.monotonic()
        while not self.over.is_set():
            for key, _ in self.selector.select(0.05):
                self.act(key.fileobj, lambda wire, attacker, state: self.read(
                    wire, attacker, state))
            if time.monotonic() - ticked > 1:
                ticked = time.monotonic()
                for wire in list(self.wires):
                    self.act(wire, lambda wire, attacker, state: attacker.tick(wire, state))
                for _ in range(min(len(self.to_open), REOPENED)):
                    self.open(self.to_open.pop())

    def act(self, wire, action):
        if wire not in self.wires:
            return
        try:
            action(wire, *self.wires[wire])
        except BlockingIOError:
            pass
        except OSError:
            self.ended(wire)

    def read(self, wire, attacker, state):
        data = wire.recv(65536)
        if not data:
            raise ConnectionResetError
        attacker.received(wire, state, data)

    @property
    def sent(self):
        return sum(attacker.sent for attacker in self.attackers)


class Bystander:
    """`web_bystander.py` in its own process."""

    def __init__(self, stack, kind):
        authority = stack.url.split("://", 1)[1]
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "web_bystander.py"), str(stack.port),
             authority, stack.app_key, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def end(self):
        """Its requests, those that failed, their p99 and the slowest, in milliseconds."""
        said, errors = self.process.communicate("", timeout=60)
        assert self.process.returncode == 0, f"the other client failed: {errors[-2000:]}"
        requests, failed, p99, slowest = said.split()
        return int(requests), int(failed), float(p99), float(slowest)


# The attack, what the other client does meanwhile, the metric that says what the attackers hold,
# and how much of it they can hold: in all, and each address; the addresses of a short run.
ATTACKS = [
    (Bodies, "call", "requests_in_flight", REQUESTS_MAX, REQUESTS_PER_ADDRESS, 5),
    (Windows, "page", "requests_in_flight", REQUESTS_MAX, REQUESTS_PER_ADDRESS, 50),
    (Trickles, "call", "requests_in_flight", REQUESTS_MAX, REQUESTS_PER_ADDRESS, 5),
    (Connections, "call", "connections", CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS, 5),
    (Bundles, "bundle", "requests_in_flight", REQUESTS_MAX, 40, 5),
    (Streams, "watch", "requests_in_flight", OWN_STREAMS_MAX, OWN_STREAMS_PER_ADDRESS, 5),
]


def figure(stack, name):
    """A metric of the web service, summed over its labels."""
    page = metrics_page(stack.metrics_addresses["web"])
    return sum(float(value) for value in re.findall(
        rf"^postern_web_{name}(?:{{[^}}]*}})? (\S+)$", page, re.M))


def run(stack, is_long):
    """Runs all attacks; returns what is wrong, a line each."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    wrong = []
    for attacker, kind, held_by, in_all, each, few in ATTACKS:
        for addresses in (5, 50) if is_long else (few,):
            name = f"{attacker.__name__.lower()} from {addresses} addresses"
            with Siege(stack, attacker, addresses) as siege:
                reached = REACHED_MIN * min(in_all, addresses * each)
                held, ends_at = 0, time.monotonic() + REACHED_WITHIN
                while held < reached and time.monotonic() < ends_at:
                    held = figure(stack, held_by)
                    time.sleep(0.2)
                # What was sent to reach it is answered first.
                time.sleep(3 if is_long else 0.5)
                bystander = Bystander(stack, kind)
                ends_at = time.monotonic() + (20 if is_long else 1.5)
                while time.monotonic() < ends_at:
                    held = max(held, figure(stack, held_by))
                    time.sleep(0.2)
                requests, failed, p99, slowest = bystander.end()
            print(f"  {name}: sent {siege.sent}, held {held:.0f}; the other client's {requests} "
                  f"requests took {p99} ms (p99) and {slowest} ms at most, {failed} failed")
            if held < reached:
                wrong.append(f"{name}: only {held:.0f} were held")
            if failed:
                wrong.append(f"{name}: {failed} of {requests} requests of the other client failed")
            if p99 > P99_MS_MAX[is_long] or slowest > SLOWEST_MS_MAX[is_long]:
                wrong.append(f"{name}: the other client's p99 was {p99} ms, the slowest {slowest}")
            settle(stack)
    return wrong


def settle(stack):
    """Waits until the places are free again."""
    deadline = time.monotonic() + 20
    while figure(stack, "requests_in_flight") > 2 or figure(stack, "connections") > 20:
        assert time.monotonic() < deadline, "places are held after the attackers have left"
        time.sleep(0.1)
