"""Every hostile frame that the protocol names, against one port, beside a well-behaved caller.

    python hostile_frames.py ENDPOINTS.JSON [NAME…]       gateway, identity, session, …

Each must get a typed GoAway or error, or a close, in time; the other caller must not be affected.
"""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from attack import HEALTH
from cluster import SERVICES, Endpoints
from hostile_callers import BadCalls, BadFrames
from hostile_strangers import BadHello, BeforeHello
from postern_client import CallFailed, Closed, WentAway

FAILURES = (AssertionError, OSError, CallFailed, WentAway, Closed)


class Siege(BeforeHello, BadHello, BadFrames, BadCalls):
    """All cases."""


class Neighbour:
    """A well-behaved caller on the same port, which calls health repeatedly."""

    def __init__(self, attack):
        self.connection = attack.caller()
        self.slowest, self.calls, self.failure = 0.0, 0, None
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._call)
        self.thread.start()

    def _call(self):
        try:
            while not self.over.wait(0.02):
                started = time.monotonic()
                self.connection.call(HEALTH)
                self.slowest = max(self.slowest, time.monotonic() - started)
                self.calls += 1
        except FAILURES as error:
            self.failure = error

    def end(self):
        self.over.set()
        self.thread.join()
        self.connection.wire.socket.close()
        if self.failure:
            raise AssertionError(f"the other caller's call failed: {self.failure!r}")
        if self.calls == 0 or self.slowest > 1.0:
            raise AssertionError(f"another caller took {self.slowest:.1f} s in {self.calls} calls")


def attack_port(name, address, service, key):
    """Runs every case; returns the failures, a line each."""
    attack = Siege(address, service, key)
    cases = attack.cases()
    neighbour = Neighbour(attack)
    wrong = []

    def run(case):
        try:
            getattr(attack, case)()
        except FAILURES as error:
            wrong.append(f"{name}: {case}: {error!r}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, cases))
    try:
        neighbour.end()
        with attack.caller() as connection:
            connection.call(HEALTH)
    except FAILURES as error:
        wrong.append(f"{name}: afterwards: {error!r}")
    print(f"  {name}: {len(cases)} hostile cases; the other caller's {neighbour.calls} calls"
          f" took {neighbour.slowest * 1000:.0f} ms at most")
    return wrong


def run(endpoints, names):
    """Attacks the named services, three at a time: most cases wait for a time limit."""
    def attack(name):
        return attack_port(name, endpoints.addresses[name], SERVICES[name], endpoints.key(name))

    with ThreadPoolExecutor(3) as ports:
        return [line for wrong in ports.map(attack, names) for line in wrong]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wrong = run(Endpoints(sys.argv[1]), sys.argv[2:] or list(SERVICES))
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
