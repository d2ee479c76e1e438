"""The base of the hostile cases: connections for attacks, and the permitted outcomes."""

import protos
from postern_client import Closed, Connection, WentAway, Wire

HEALTH = "postern.health.v1.Health/Check"
# A response to an attack is due within a second; a busy machine gets twice that time.
ANSWER_WITHIN = 2.0
# The server's timeouts are 5 s for a Hello and 10 s for a partial frame; both with a margin for busy
# machines, below the time that a peer needs which sends one byte at a time.
SLOW_HELLO_WITHIN = 9.0
SLOW_FRAME_WITHIN = 14.0
INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL = 3, 8, 12, 13
STATUSES = range(17)


class Attack:
    """One port under attack. A case is a method whose name begins with `case_`."""

    def __init__(self, address, service, key):
        self.address, self.service, self.key = address, service, key

    def cases(self):
        """The cases by name."""
        return [name for name in dir(self) if name.startswith("case_")]

    def stranger(self):
        """A connection that has read the server's Hello and sent nothing."""
        wire = Wire(self.address, ANSWER_WITHIN)
        wire.challenge = wire.receive().hello.challenge
        return wire

    def caller(self):
        """An authenticated connection."""
        return Connection.open(self.address, self.service, self.key, ANSWER_WITHIN)

    def gone(self, wire, *reasons):
        """The server sends GoAway with one of the reasons; without reasons it may also close."""
        try:
            while True:
                frame = wire.receive()
                if frame.WhichOneof("kind") == "go_away":
                    reason = WentAway(frame.go_away).reason
                    if reasons and reason not in reasons:
                        raise AssertionError(f"GoAway {reason} instead of {reasons}")
                    return
        except Closed:
            if reasons:
                raise AssertionError(f"closed without GoAway {reasons}") from None

    def answered(self, connection, call):
        """The call gets a status other than INTERNAL, or the connection is closed."""
        try:
            status = connection.response(call).status
            assert status in STATUSES and status != INTERNAL, f"status {status}"
        except (WentAway, Closed):
            pass


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def methods_of(service):
    """Every method of the service's main proto service."""
    package = "postern." + service.removeprefix("postern.").replace("-", "") + ".v1"
    for name in ("Auth", "Accounts", "Sessions", "Limits", "Notifications"):
        try:
            found = protos.POOL.FindServiceByName(f"{package}.{name}")
        except KeyError:
            continue
        return [f"{found.full_name}/{method.name}" for method in found.methods]
    raise KeyError(package)


def filled(message):
    """The message with a value in every field."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type:
            filled(value.add() if field.is_repeated else value)
            if not field.is_repeated:
                value.SetInParent()
            continue
        something = b"b\0\xff" if field.type == field.TYPE_BYTES else (
            "täxt" if field.type == field.TYPE_STRING else (
                True if field.type == field.TYPE_BOOL else 1))
        value.append(something) if field.is_repeated else setattr(message, field.name, something)
    return message
