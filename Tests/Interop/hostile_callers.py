"""Attacks by an authenticated caller: each affects only its own connection."""

import struct

import protos
from attack import (
    HEALTH, INTERNAL, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, SLOW_FRAME_WITHIN, STATUSES,
    UNIMPLEMENTED, Attack, filled, methods_of, varint)
from postern_client import Frame


class BadFrames(Attack):
    """Frames after the Hello."""

    def case_frames_of_hostile_length(self):
        lengths = {0: "PROTOCOL_ERROR", 2**31 - 1: "FRAME_TOO_LARGE", 2**32 - 1: "FRAME_TOO_LARGE"}
        for length, reason in lengths.items():
            with self.caller() as connection:
                connection.call(HEALTH)
                connection.wire.socket.sendall(struct.pack(">I", length))
                self.gone(connection.wire, reason)

    def case_frames_one_over_the_limit(self):
        with self.caller() as connection:
            connection.call(HEALTH)
            limit = connection.server_hello.frame_bytes_max
            connection.wire.socket.sendall(struct.pack(">I", limit + 1) + bytes(limit + 1))
            self.gone(connection.wire, "FRAME_TOO_LARGE")

    def case_frames_begun_and_left(self):
        with self.caller() as connection:
            connection.call(HEALTH)
            connection.wire.socket.sendall(struct.pack(">I", 100) + b"\x12")
            connection.wire.socket.settimeout(SLOW_FRAME_WITHIN)
            self.gone(connection.wire)

    def case_frames_truncated_everywhere(self):
        frame = Frame()
        frame.request.call = 2
        frame.request.method = HEALTH
        frame.request.timeout_ms = 1000
        frame.request.metadata.add(key="traceparent", value=b"00-0-0-00")
        frame.request.payload = b"\xa0\x06\x01"
        whole = frame.SerializeToString()
        for cut in range(1, len(whole)):
            with self.caller() as connection:
                connection.call(HEALTH)
                connection.wire.send_body(whole[:cut])
                self.gone(connection.wire, "PROTOCOL_ERROR")

    def case_frames_of_empty_sub_messages(self):
        """64 KiB of them: as metadata, and as each field of the payload's message."""
        request = b"\x08\x01" + b"\x22\x00" * 32_768
        with self.caller() as connection:
            connection.wire.send_body(b"\x12" + varint(len(request)) + request)
            self.answered(connection, 1)
        for method in methods_of(self.service):
            for field in range(1, 16):
                with self.caller() as connection:
                    call = connection.send_request(method, bytes([field << 3 | 2, 0]) * 32_768)
                    self.answered(connection, call)

    def case_frames_with_unknown_fields_by_the_thousand(self):
        unknown = b"\xa2\x06\x00\xa8\x06\x01" * 10_000
        with self.caller() as connection:
            self.answered(connection, connection.send_request(HEALTH, unknown))
            request = b"\x08\x02" + b"\x12" + varint(len(HEALTH)) + HEALTH.encode() + unknown
            connection.wire.send_body(b"\x12" + varint(len(request)) + request)
            self.answered(connection, 2)

    def case_frames_of_unknown_kind(self):
        """64 are skipped; the 65th is a protocol error."""
        with self.caller() as connection:
            for _ in range(64):
                connection.wire.send_body(b"\x9a\x06\x00")
            connection.call(HEALTH)
            connection.wire.send_body(b"\x9a\x06\x00")
            self.gone(connection.wire, "PROTOCOL_ERROR")

    def case_frames_with_too_much_metadata(self):
        with self.caller() as connection:
            request = Frame()
            request.request.call = 1
            request.request.method = HEALTH
            request.request.metadata.add(key="traceparent", value=bytes(9000))
            connection.wire.send(request)
            self.answered(connection, 1)


class BadCalls(Attack):
    """Valid frames that the protocol does not allow."""

    def case_calls_out_of_order(self):
        for first, then in ((5, 5), (5, 4), (5, 0), (0, None), (2**64 - 1, 1)):
            with self.caller() as connection:
                for call in (first, then):
                    frame = Frame()
                    frame.request.call = call or 0
                    frame.request.method = HEALTH
                    if call is not None:
                        connection.wire.send(frame)
                self.gone(connection.wire, "PROTOCOL_ERROR")

    def case_calls_that_were_never_made(self):
        for kind in ("cancel", "item", "credit"):
            frame = Frame()
            getattr(frame, kind).call = 7
            with self.caller() as connection:
                connection.wire.send(frame)
                self.gone(connection.wire, "PROTOCOL_ERROR")

    def case_calls_of_unknown_methods(self):
        names = ["", "x", "postern.health.v1.Health", "postern.health.v1.Health/No", "/" * 5000,
                 HEALTH + "/", "\0"]
        with self.caller() as connection:
            for name in names:
                call = connection.send_request(name, b"")
                status = connection.response(call).status
                assert status == UNIMPLEMENTED, f"{name[:20]!r}: status {status}"
            connection.call(HEALTH)

    def case_calls_with_broken_payloads(self):
        """A broken payload ends its own call only."""
        cut, not_text, holds_nul, surrogate = (
            b"\x0a\x05a", b"\x0a\x02\xc3\x28", b"\x0a\x03a\0b", b"\x0a\x03\xed\xa0\x80")
        with self.caller() as connection:
            for broken in (cut, not_text, holds_nul, surrogate):
                call = connection.send_request("postern.reflection.v1.Reflection/DescribeService", broken)
                status = connection.response(call).status
                assert status == INVALID_ARGUMENT, f"payload {broken}: status {status}"
            connection.call(HEALTH)

    def case_calls_with_payloads_truncated_everywhere(self):
        for method in methods_of(self.service):
            whole = filled(protos.method(method)[0]()).SerializeToString()
            with self.caller() as connection:
                connection.wire.socket.settimeout(10)
                for cut in range(len(whole)):
                    call = connection.send_request(method, whole[:cut], timeout_ms=5000)
                    status = connection.response(call).status
                    assert status in STATUSES and status != INTERNAL, (
                        f"{method} cut at {cut}: status {status}")
                connection.call(HEALTH)

    def case_calls_by_the_thousand(self):
        """More concurrent calls than the server accepts: each gets a response."""
        with self.caller() as connection:
            count = connection.server_hello.calls_max + 200
            for _ in range(count):
                connection.send_request(HEALTH, b"")
            seen = set()
            while len(seen) < count:
                response = connection.wire.receive().response
                assert response.status in (0, RESOURCE_EXHAUSTED), f"status {response.status}"
                seen.add(response.call)

    def case_calls_and_gone(self):
        """Callers that close the connection with calls in flight."""
        for _ in range(50):
            with self.caller() as connection:
                for _ in range(20):
                    connection.send_request(HEALTH, b"")

    def case_pings_without_pause(self):
        frame = Frame()
        frame.ping.token = 7
        with self.caller() as connection:
            for _ in range(50):
                connection.wire.send(frame)
            self.gone(connection.wire, "TOO_MANY_PINGS")
