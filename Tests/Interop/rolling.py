#!/usr/bin/env python3
"""Rolls every program from one build to another and back under `mixed_load.py`, each by itself, with
two gateways and two web services. docker/upgrade.sh calls it.

    Tests/Interop/rolling.py --former FOLDER --present FOLDER [--rate 200] [--pause SECONDS]
        [--only SERVICE…] [--without METHOD…] [--keep FOLDER]

FORMER and PRESENT have the programs of the two builds. The stores begin with the former one. Called
services come before their callers, and on the way back after them. A line for each roll has the
seconds from its stop until it is ready, and the calls since the one before; then there is the line of
`mixed_load.py`. Exits with 3 if a call failed or something that was acknowledged is lost, and with 1 if
a program did not start or stop. `--keep` leaves the data and the logs there.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import mixed_load
from load_client import LoadClient

READY_WITHIN = 60.0
# A program drains for 10 s at most.
STOPPED_WITHIN = 12.0
# Until the accounts of the load are made.
SIGNED_UP_WITHIN = 120.0
READ_BACK_WITHIN = 300.0
# `retried within deadlines`: what a single store may take to restart.
ALLOWED_GAP = 2.0
# Outside of the ports that the system gives to connections.
PORTS = range(20_000, 32_000)

# What each program calls, in the order of an upgrade: a service before its callers.
PEERS = {
    "rate-limit": [],
    "notification": ["identity", "session", "rate-limit"],
    "session": ["identity"],
    "identity": ["session", "notification", "rate-limit"],
    "gateway": ["identity", "session", "rate-limit"],
    "web": ["gateway"],
}
# These have no store, and may be there several times.
DOUBLED = {"gateway", "web"}


class Program:
    """One program, on the same port in each build."""

    def __init__(self, service, number, port, stack):
        self.service, self.stack = service, stack
        self.name = service if service not in DOUBLED else f"{service}-{number}"
        self.port, self.process = port, None
        self.ready = stack.folder / "run" / f"{self.name}.rolled"

    def arguments(self):
        data = self.stack.folder
        given = {
            "listen-port": self.port, "metrics-port": 0, "port-file": self.ready,
            "applications-folder": data / "keys" / self.service, "keys-folder": data / "keys",
            "stop-with-input": "true",
        }
        if self.service == "web":
            given["apps-file"] = data / "apps.yaml"
        else:
            given["data-folder"] = data / "data"
        if self.service == "notification":
            given["inbox-folder"] = data / "inbox"
        if self.service == "gateway":
            given["callers-file"] = data / "keys" / "gateway" / "callers"
        for peer in PEERS[self.service]:
            given[f"{peer}-address"] = ",".join(
                f"127.0.0.1:{program.port}" for program in self.stack.of(peer))
        return [word for name, value in given.items() for word in (f"--{name}", str(value))]

    def start(self, build):
        self.ready.unlink(missing_ok=True)
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [build / f"postern-{self.service}", *self.arguments()], stdin=subprocess.PIPE,
                stdout=log, stderr=log, env=self.stack.environment)

    def wait_until_ready(self):
        end = time.monotonic() + READY_WITHIN
        while not self.ready.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.name} is not ready:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.01)

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"{self.name} did not stop within {STOPPED_WITHIN} s") from None
        finally:
            self.process.stdin.close()
        if status != 0:
            raise RuntimeError(f"{self.name} ended with {status}:\n{self.log.read_text()[-3000:]}")

    @property
    def log(self):
        return self.stack.folder / "logs" / f"{self.name}.rolled.log"


class Stack:
    """All programs, with the stores, keys and app that `postern up` of the former build made."""

    def __init__(self, folder, former):
        self.folder = folder
        set_up(folder, former)
        said = json.loads((folder / "endpoints.json").read_text())
        self.app_key = said["web"]["app_key"]
        named = [(service, number) for service in PEERS
                 for number in ((1, 2) if service in DOUBLED else (1,))]
        self.programs = [Program(service, number, port, self)
                         for (service, number), port in zip(named, free_ports(len(named)))]
        self.urls = [f"http://127.0.0.1:{web.port}" for web in self.of("web")]
        self.environment = os.environ | {
            "POSTERN_TRUSTED_PROXIES": "127.0.0.1/32", "POSTERN_WEB_ORIGINS": ",".join(self.urls),
            "POSTERN_LINK_ORIGIN": self.urls[0], "POSTERN_PAGES": "on"}

    def of(self, service):
        return [program for program in self.programs if program.service == service]

    def start(self, build):
        """Starts all. Services call each other, and the web service is ready after a gateway."""
        for program in self.programs:
            program.start(build)
        for program in self.programs:
            program.wait_until_ready()

    def stop(self):
        """Stops all, callers first, whatever happens to one; throws the first error."""
        errors = []
        for program in reversed(self.programs):
            try:
                program.stop()
            except RuntimeError as error:
                errors.append(error)
        if errors:
            raise errors[0]


def set_up(folder, former):
    """Has the former build make its keys and stores, as an installation of then has them."""
    log = folder.with_suffix(".up.log")
    with open(log, "w") as errors:
        up = subprocess.Popen(
            [former / "postern", "up", "--data", folder, "--port-base", "0"], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        is_ready = any(line.split()[:1] and line.split()[0].rstrip(".:") == "ready"
                       for line in up.stdout)
        up.send_signal(signal.SIGINT)
        # It ends after its programs, which hold the stores.
        up.communicate(timeout=60)
    if not is_ready:
        raise RuntimeError(f"`postern up` did not become ready:\n{log.read_text()[-3000:]}")


def free_ports(count):
    """Ports that are free at this moment, no two of them the same."""
    found = set()
    while len(found) < count:
        port = random.choice(PORTS)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
                found.add(port)
            except OSError:
                pass
    return list(found)


class RunningLoad:
    """The load, on a thread of its own."""

    def __init__(self, stack, rate, without):
        client = LoadClient(stack.urls, stack.app_key, ALLOWED_GAP)
        self.load = mixed_load.MixedLoad(client, rate, without, stack.folder / "inbox")
        self.ready, self.error = threading.Event(), None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.ready.wait(SIGNED_UP_WITHIN)
        if self.load.failed or not self.thread.is_alive():
            raise RuntimeError(f"the load did not begin: {self.error} {self.load.failures}")

    def _run(self):
        try:
            asyncio.run(mixed_load.run(self.load, 36_000, ready=self.ready.set))
        except Exception as error:
            self.error = error
        finally:
            self.ready.set()

    def end(self):
        """Ends it and reads everything back; whether nothing failed."""
        self.load.end()
        self.thread.join(READ_BACK_WITHIN)
        print(json.dumps(self.load.result()), flush=True)
        if self.error or self.thread.is_alive():
            raise RuntimeError(f"the load did not end: {self.error!r}")
        return not (self.load.failed or self.load.lost or self.load.unread)


class Rolling:
    """The rolls, and what they cost."""

    def __init__(self, load, pause):
        self.load, self.pause = load.load, pause
        self.calls, self.failed = self.load.calls, self.load.failed

    def roll(self, program, build, way):
        begun = time.monotonic()
        program.stop()
        stopped = time.monotonic()
        program.start(build)
        program.wait_until_ready()
        ready = time.monotonic()
        time.sleep(self.pause)
        calls, failed = self.load.calls, self.load.failed + self.load.lost
        print(f"roll {way:<7} {program.name:<12} {ready - begun:5.2f} s (stop {stopped - begun:.2f} s)"
              f"  {calls - self.calls:5} calls  {failed - self.failed:3} failed", flush=True)
        self.calls, self.failed = calls, failed


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--former", type=Path, required=True)
    parser.add_argument("--present", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--pause", type=float, default=5.0)
    parser.add_argument("--only", action="append", choices=list(PEERS))
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def main():
    wanted = parse()
    former, present = wanted.former.resolve(), wanted.present.resolve()
    folder = Path(tempfile.mkdtemp(prefix="postern-rolling-"))
    stack = None
    try:
        stack = Stack(folder / "data", former)
        stack.start(former)
        load = RunningLoad(stack, wanted.rate, wanted.without)
        time.sleep(wanted.pause)
        rolling = Rolling(load, wanted.pause)
        programs = [one for one in stack.programs if one.service in (wanted.only or PEERS)]
        for program in programs:
            rolling.roll(program, present, "up")
        for program in reversed(programs):
            rolling.roll(program, former, "back")
        is_good = load.end()
        stack.stop()
        return 0 if is_good else 3
    finally:
        if stack:
            try:
                stack.stop()
            except RuntimeError as error:
                print(error, file=sys.stderr)
        if wanted.keep:
            shutil.copytree(folder, wanted.keep, dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
