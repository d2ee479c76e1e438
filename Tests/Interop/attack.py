"""The ground that hostile cases stand on: connections to attack from, and what must come of it."""

import protos
from postern_client import Closed, Connection, WentAway, Wire

HEALTH = "postern.health.v1.Health/Check"
# An answer to an attack is due within a second; a busy machine is given as much again.
ANSWER_WITHIN = 2.0
# A Hello has 5 s and a begun frame 10 s; a bit more than a second to notice.
SLOW_HELLO_WITHIN = 6.5
SLOW_FRAME_WITHIN = 11.5
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
        """A connection that has read the server's Hello and said nothing."""
        wire = Wire(self.address, ANSWER_WITHIN)
        wire.challenge = wire.receive().hello.challenge
        return wire

    def caller(self):
        """A connection that has proved itself."""
        return Connection.open(self.address, self.service, self.key, ANSWER_WITHIN)

    def gone(self, wire, *reasons):
        """The server says GoAway for one of the reasons (or, with none, may just close)."""
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
        """The call is answered with a status of the protocol; or the connection is ended."""
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
    """Every method of the service's own protos."""
    package = "postern." + service.removeprefix("postern.").replace("-", "") + ".v1"
    for name in ("Auth", "Accounts", "Sessions", "Limits", "Notifications"):
        try:
            found = protos.POOL.FindServiceByName(f"{package}.{name}")
        except KeyError:
            continue
        return [f"{found.full_name}/{method.name}" for method in found.methods]
    raise KeyError(package)


def filled(message):
    """The message with something in every field."""
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
