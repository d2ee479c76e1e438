"""Every attack by raw bytes and frames against one web service, beside a well-behaved client."""

import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from web_http1_attacks import HTTP1Attacks
from web_http2_attacks import Ended, HTTP2Attacks
from web_stack import resident_bytes

FAILURES = (AssertionError, OSError, Ended)
MEBIBYTE = 1024 * 1024
# Its connections displace those of other attacks that have sent no request yet.
ALONE = "case_idle_connections"
# The most memory that all attacks, eight at once, may cost the web service: thousands of idle
# connections of 25 KiB, and the rest of the attacks.
GROWTH_MAX = {False: 96 * MEBIBYTE, True: 256 * MEBIBYTE}
# The neighbour's p99 at most doubles. Below this it does not count: the attackers are on the same
# two cores, and other builds may be.
P99_MS_MIN = {False: 250, True: 100}


class Neighbour:
    """`web_neighbour.py` in its own process, so that the attackers' Python does not delay it."""

    def __init__(self, stack):
        authority = stack.url.split("://", 1)[1]
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "web_neighbour.py"), str(stack.port),
             authority], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def end(self):
        """Its calls, their p99 and the slowest, in milliseconds."""
        said, errors = self.process.communicate("", timeout=60)
        assert self.process.returncode == 0, f"the other client failed: {errors[-2000:]}"
        calls, p99, slowest = said.split()
        return int(calls), float(p99), float(slowest)


class Siege(HTTP1Attacks, HTTP2Attacks):
    """All cases against one web service."""

    def __init__(self, stack, is_long):
        self.port, self.app_key = stack.port, stack.app_key
        self.authority, self.is_long = stack.url.split("://", 1)[1], is_long
        self.tls_port = int(stack.web_with_tls()[0].rsplit(":", 1)[1])

    def scale(self, short, long):
        return long if self.is_long else short

    def cases(self):
        """The cases by name."""
        kinds = ("case_", "long_case_") if self.is_long else ("case_",)
        return [name for name in dir(self) if name.startswith(kinds)]


def run(stack, is_long=False):
    """Runs all cases; returns what is wrong, a line each."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    siege, wrong = Siege(stack, is_long), []
    quiet = Neighbour(stack)
    time.sleep(5)
    _, alone_ms, _ = quiet.end()
    calls_before = stack.gateway_calls()
    received = siege.all_responses(siege.head("content-length: 2", "connection: close") + b"{}")
    if not received.startswith(b"HTTP/1.1 200") or stack.gateway_calls() == calls_before:
        return [f"a good call does not reach the gateway, so no attack proves anything: {received}"]
    process, before = stack.web_process(), resident_bytes(stack.web_process())
    calls_before = stack.gateway_calls()
    neighbour, peak = Neighbour(stack), before

    def attack(case):
        nonlocal peak
        try:
            getattr(siege, case)()
        except FAILURES as error:
            wrong.append(f"{case}: {error!r}")
        peak = max(peak, resident_bytes(process))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(attack, [case for case in siege.cases() if case != ALONE]))
    attack(ALONE)
    try:
        calls, p99_ms, slowest_ms = neighbour.end()
        limit_ms = max(2 * alone_ms, P99_MS_MIN[is_long])
        print(f"  {len(siege.cases())} attacks: {(peak - before) / MEBIBYTE:.0f} MiB more; "
              f"the other client's {calls} calls took {p99_ms} ms (p99; {alone_ms} ms alone) and "
              f"{slowest_ms} ms at most")
        if p99_ms > limit_ms:
            wrong.append(f"the other client's p99 was {p99_ms} ms, limit {limit_ms} ms")
    except FAILURES as error:
        wrong.append(repr(error))
    if stack.web_process() != process or any(extra.poll() is not None for extra in stack.extra):
        wrong.append("postern-web ended under attack")
    if peak - before > GROWTH_MAX[is_long]:
        wrong.append(f"postern-web took {(peak - before) / MEBIBYTE:.0f} MiB more under attack")
    calls_after = stack.gateway_calls()
    if calls_after != calls_before:
        wrong.append(f"{calls_after - calls_before:.0f} calls of attacks reached the gateway")
    return wrong
