"""Attacks by an unauthenticated peer: without a valid Hello all of them are rejected."""

import struct
import time

from attack import HEALTH, SLOW_HELLO_WITHIN, Attack, varint
from postern_client import Connection, Frame, Key, hello_frame


class BeforeHello(Attack):
    """Frames of a peer that has not sent its Hello."""

    def case_before_hello_length_zero(self):
        with self.stranger() as wire:
            wire.socket.sendall(bytes(4))
            self.gone(wire, "PROTOCOL_ERROR")

    def case_before_hello_lengths_beyond_the_limit(self):
        for length in (4097, 2**31 - 1, 2**31, 2**32 - 1):
            with self.stranger() as wire:
                wire.socket.sendall(struct.pack(">I", length))
                self.gone(wire, "FRAME_TOO_LARGE")

    def case_before_hello_flood_behind_a_length_beyond_the_limit(self):
        """The GoAway can be read although more was sent than the server reads."""
        with self.stranger() as wire:
            wire.socket.sendall(struct.pack(">I", 2**32 - 1) + bytes(200_000))
            self.gone(wire, "FRAME_TOO_LARGE")

    def case_before_hello_silence(self):
        with self.stranger() as wire:
            wire.socket.settimeout(SLOW_HELLO_WITHIN)
            self.gone(wire)

    def case_before_hello_header_then_silence(self):
        with self.stranger() as wire:
            wire.socket.sendall(struct.pack(">I", 100))
            wire.socket.settimeout(SLOW_HELLO_WITHIN)
            self.gone(wire)

    def case_before_hello_hello_drop_by_drop(self):
        """Sending a byte now and then does not extend the timeout."""
        with self.stranger() as wire:
            frame = hello_frame(wire.challenge, self.service, self.key).SerializeToString()
            wire.socket.settimeout(SLOW_HELLO_WITHIN)
            ends = time.monotonic() + SLOW_HELLO_WITHIN
            try:
                for byte in struct.pack(">I", len(frame)) + frame:
                    wire.socket.sendall(bytes([byte]))
                    time.sleep(0.25)
                    if time.monotonic() > ends:
                        raise AssertionError("a slow Hello extends the timeout")
            except (BrokenPipeError, ConnectionResetError):
                return
            self.gone(wire)

    def case_before_hello_garbage(self):
        request = b"GET / HTTP/1.1\r\n\r\n"
        for body in (b"\xff" * 100, request, b"\x0a\xff\xff\xff\xff\x0f", b"\x0f"):
            with self.stranger() as wire:
                wire.send_body(body)
                self.gone(wire, "PROTOCOL_ERROR")

    def case_before_hello_http(self):
        with self.stranger() as wire:
            wire.socket.sendall(b"GET / HTTP/1.1\r\nHost: postern\r\n\r\n")
            self.gone(wire, "FRAME_TOO_LARGE")

    def case_before_hello_call(self):
        frame = Frame()
        frame.request.call = 1
        frame.request.method = HEALTH
        with self.stranger() as wire:
            wire.send(frame)
            self.gone(wire, "PROTOCOL_ERROR")

    def case_before_hello_every_other_kind(self):
        for kind in ("response", "item", "cancel", "credit", "ping", "go_away"):
            frame = Frame()
            getattr(frame, kind).SetInParent()
            with self.stranger() as wire:
                wire.send(frame)
                self.gone(wire, "PROTOCOL_ERROR")


class BadHello(Attack):
    """Hellos that must be rejected."""

    def case_hello_truncated_everywhere(self):
        with self.stranger() as wire:
            whole = hello_frame(wire.challenge, self.service, self.key).SerializeToString()
        for cut in range(1, len(whole)):
            with self.stranger() as wire:
                wire.send_body(whole[:cut])
                self.gone(wire, "PROTOCOL_ERROR", "UNAUTHENTICATED")

    def case_hello_with_every_byte_changed(self):
        """A proof with one changed byte is rejected, whichever byte it is."""
        with self.stranger() as wire:
            length = len(hello_frame(wire.challenge, self.service, self.key).hello.proof)
        for position in range(length):
            with self.stranger() as wire:
                frame = hello_frame(wire.challenge, self.service, self.key)
                proof = bytearray(frame.hello.proof)
                proof[position] ^= 1
                frame.hello.proof = bytes(proof)
                wire.send(frame)
                self.gone(wire, "UNAUTHENTICATED")

    def case_hello_of_an_impostor(self):
        key = self.key
        impostors = [
            Key(key.application, key.key_id, bytes(32)),
            Key(key.application, "no-such", key.secret),
            Key("no-such", key.key_id, key.secret), Key("", "", b""),
            Key("../" + key.application, key.key_id, key.secret)]
        for impostor in impostors:
            with self.stranger() as wire:
                wire.send(hello_frame(wire.challenge, self.service, impostor))
                self.gone(wire, "UNAUTHENTICATED")

    def case_hello_without_proof(self):
        with self.stranger() as wire:
            frame = hello_frame(wire.challenge, self.service, self.key)
            frame.hello.proof = b""
            wire.send(frame)
            self.gone(wire, "UNAUTHENTICATED")

    def case_hello_to_another_service(self):
        with self.stranger() as wire:
            wire.send(hello_frame(wire.challenge, "postern.elsewhere", self.key))
            self.gone(wire, "UNAUTHENTICATED")

    def case_hello_replayed(self):
        """A Hello that was captured on one connection is rejected on another."""
        with self.stranger() as first:
            captured = hello_frame(first.challenge, self.service, self.key)
            first.send(captured)
            with self.stranger() as second:
                assert second.challenge != first.challenge, "the same challenge twice"
                second.send(captured)
                self.gone(second, "UNAUTHENTICATED")

    def case_hello_twice(self):
        with self.stranger() as wire:
            frame = hello_frame(wire.challenge, self.service, self.key)
            wire.send(frame)
            wire.send(frame)
            self.gone(wire, "PROTOCOL_ERROR")

    def case_hello_of_no_version(self):
        with self.stranger() as wire:
            frame = hello_frame(wire.challenge, self.service, self.key)
            frame.hello.version = 0
            wire.send(frame)
            self.gone(wire, "UNSUPPORTED_VERSION")

    def case_hello_with_unknown_fields_by_the_thousand(self):
        with self.stranger() as wire:
            frame = hello_frame(wire.challenge, self.service, self.key)
            hello = frame.hello.SerializeToString() + b"\xa0\x06\x01" * 1200
            wire.send_body(b"\x0a" + varint(len(hello)) + hello)
            connection = Connection.__new__(Connection)
            connection.wire, connection.last_call = wire, 0
            self.answered(connection, connection.send_request(HEALTH, b""))
