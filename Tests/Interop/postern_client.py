"""A client of the wire protocol, version 1, written from Protos/ alone.

    with Connection.open(address, service="postern.gateway", key=Key.read(id, file)) as gateway:
        answer = gateway.call("postern.health.v1.Health/Check")
"""

import base64
import hashlib
import hmac
import socket
import struct
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

import protos

Frame = protos.message("postern.wire.v1.Frame")
GO_AWAY_REASON = "postern.wire.v1.GoAwayReason"
VERSION = 1
FRAME_BYTES_MAX = 128 * 1024
STREAM_CREDIT = 128


class CallFailed(Exception):
    """The call failed with an error of the catalogue."""

    def __init__(self, response):
        super().__init__(f"{response.error.code} (status {response.status}): {response.message}")
        self.code = response.error.code
        self.status = response.status
        self.response = response


class WentAway(Exception):
    """The server sent GoAway."""

    def __init__(self, go_away):
        self.reason = protos.enum_value(GO_AWAY_REASON, go_away.reason).removeprefix(
            "GO_AWAY_REASON_")
        super().__init__(f"GoAway {self.reason}: {go_away.message}")


class Closed(Exception):
    """The server closed the connection without a GoAway."""


class Key:
    """An application's name, the id of its key, and the key: a private Ed25519 key, or the bytes
    of a shared key of an earlier version."""

    def __init__(self, application, key_id, secret):
        self.application, self.key_id, self.secret = application, key_id, secret

    @classmethod
    def read(cls, file):
        """Reads a file `<application>.<key id>.key`: PEM (PKCS #8), or a shared key of 32 bytes,
        raw, as hexadecimal or as Base64."""
        application, key_id = Path(file).name.removesuffix(".key").rsplit(".", 1)
        content = Path(file).read_bytes()
        if content.startswith(b"-----BEGIN "):
            key = load_pem_private_key(content, password=None)
            assert isinstance(key, Ed25519PrivateKey), f"{file} holds another kind of key"
            return cls(application, key_id, key)
        text = content.strip()
        if len(content) != 32:
            content = bytes.fromhex(text.decode()) if len(text) == 64 else base64.b64decode(text)
        return cls(application, key_id, content)


def proof(key, challenge, service):
    """The signature (or HMAC-SHA-256) over the challenge and the names; zeros for the certificate,
    without TLS."""
    covered = b"postern/1 hello\0" + challenge
    for name in (service, key.application, key.key_id):
        covered += struct.pack(">H", len(name.encode())) + name.encode()
    covered += bytes(32)
    if isinstance(key.secret, Ed25519PrivateKey):
        return key.secret.sign(covered)
    return hmac.digest(key.secret, covered, hashlib.sha256)


class Wire:
    """Frames over a socket, in any order."""

    def __init__(self, address, timeout=10.0):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, frame):
        self.send_body(frame.SerializeToString())

    def send_body(self, body):
        self.socket.sendall(struct.pack(">I", len(body)) + body)

    def receive(self):
        """The next frame; raises Closed at the end of the stream, TimeoutError if none arrives."""
        length, = struct.unpack(">I", self._take(4))
        return Frame.FromString(self._take(length))

    def _take(self, count):
        while len(self.unread) < count:
            try:
                got = self.socket.recv(65536)
            except ConnectionResetError:
                got = b""
            if not got:
                raise Closed()
            self.unread += got
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken


class Connection:
    """One connection after the Hellos."""

    def __init__(self, wire, service, key):
        self.wire = wire
        self.last_call = 0
        self.server_hello = wire.receive().hello
        wire.send(hello_frame(self.server_hello.challenge, service, key))

    @classmethod
    def open(cls, address, service, key, timeout=10.0):
        return cls(Wire(address, timeout), service, key)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wire.socket.close()

    def call(self, method, timeout_ms=0, metadata=None, **fields):
        """Calls a method by its name, with the request's fields, and returns the response."""
        request_type, response_type = protos.method(method)
        call = self.send_request(
            method, request_type(**fields).SerializeToString(), timeout_ms, metadata)
        response = self.response(call)
        if response.status != 0:
            raise CallFailed(response)
        return response_type.FromString(response.payload)

    def send_request(self, method, payload, timeout_ms=0, metadata=None):
        """Sends a request and returns its id."""
        self.last_call += 1
        frame = Frame()
        frame.request.call = self.last_call
        frame.request.method = method
        frame.request.timeout_ms = timeout_ms
        for name, value in (metadata or {}).items():
            frame.request.metadata.add(key=name, value=value.encode())
        frame.request.payload = payload
        self.wire.send(frame)
        return self.last_call

    def response(self, call):
        """The next response, which must belong to this call."""
        kind, frame = self._frame_of_call()
        assert kind == "response" and frame.call == call, "a response to another call"
        return frame

    def items(self, call):
        """The messages of a stream as they arrive; raises CallFailed if it ends with an error."""
        while True:
            kind, frame = self._frame_of_call()
            assert frame.call == call, "a frame of another call"
            if kind == "response":
                if frame.status != 0:
                    raise CallFailed(frame)
                return
            if not frame.end or frame.payload:
                credit = Frame()
                credit.credit.call, credit.credit.items = call, 1
                self.wire.send(credit)
                yield frame.payload

    def _frame_of_call(self):
        """The next response or item; answers pings that arrive before it."""
        while True:
            frame = self.wire.receive()
            kind = frame.WhichOneof("kind")
            if kind == "ping":
                pong = Frame()
                pong.pong.token = frame.ping.token
                self.wire.send(pong)
            elif kind == "go_away":
                raise WentAway(frame.go_away)
            elif kind in ("response", "item"):
                return kind, getattr(frame, kind)


def hello_frame(challenge, service, key):
    """The client's Hello, which answers a challenge."""
    frame = Frame()
    frame.hello.version = VERSION
    frame.hello.frame_bytes_max = FRAME_BYTES_MAX
    frame.hello.stream_credit = STREAM_CREDIT
    frame.hello.keepalive_floor_ms = 10_000
    frame.hello.agent = "interop/1"
    frame.hello.service = service
    frame.hello.application = key.application
    frame.hello.key_id = key.key_id
    frame.hello.proof = proof(key, challenge, service)
    return frame
