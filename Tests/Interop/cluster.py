"""The six programs, started by `postern up` on free ports and a temporary folder."""

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from postern_client import Connection, Key

READY_WITHIN = 30.0
STOPPED_WITHIN = 15.0

# The services' names in the Hello, by their names in endpoints.json.
SERVICES = {
    "gateway": "postern.gateway",
    "identity": "postern.identity",
    "session": "postern.session",
    "rate-limit": "postern.rate-limit",
    "notification": "postern.notification",
}


class Endpoints:
    """The content of endpoints.json: the address of each service, and the keys of its callers."""

    def __init__(self, file):
        said = json.loads(Path(file).read_text())
        self.folder = Path(file).resolve().parent
        self.addresses = {name: said[name] for name in SERVICES}
        self.application = self._key(said["application"])
        self.key_file = self.folder / said["application"]["secret_file"]
        self.admin = self._key(said["admin"])
        self.web = said["web"]["url"]

    def _key(self, said):
        key = Key.read(self.folder / said["secret_file"])
        assert key.application == said["id"], said
        return key

    def key(self, name):
        """The key for a service: the application's for the gateway, else the tool's."""
        return self.application if name == "gateway" else self.admin

    def connect(self, name, timeout=10.0):
        return Connection.open(self.addresses[name], SERVICES[name], self.key(name), timeout)

    def inbox(self):
        """The Maildir that gets all mails if no mail server is configured."""
        return self.folder / "inbox"


class Cluster:
    """`postern up`, from its start to its clean stop."""

    def __init__(self, programs, files=None, settings=None):
        """`files`: texts of YAML files, by the variables that name them to the programs.
        `settings`: values of other variables."""
        self.programs = Path(programs).resolve()
        self.files = files or {}
        self.settings = settings or {}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="postern-interop-")
        data = Path(self.folder.name) / "data"
        self.log = open(Path(self.folder.name) / "log", "w+")
        environment = os.environ | self.settings
        for variable, text in self.files.items():
            file = Path(self.folder.name) / f"{variable}.yaml"
            file.write_text(text)
            environment[variable] = str(file)
        started = time.monotonic()
        self.process = subprocess.Popen(
            [self.programs / "postern", "up", "--data", str(data), "--port-base", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
            cwd=self.folder.name, env=environment)
        try:
            self._wait_until_ready()
            print(f"ready after {time.monotonic() - started:.2f} s")
            self.endpoints = Endpoints(data / "endpoints.json")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind, *_):
        status = self._stop()
        if kind is None and status not in (0, 130):
            raise RuntimeError(f"`postern up` ended with status {status}")

    def processes(self):
        """The running programs: process ids by name."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = " ".join(file.read_text() for file in threads).split()
        found = {Path(f"/proc/{child}/comm").read_text().strip(): int(child) for child in children}
        # The services, and the web service, which has no rpcs.
        assert len(found) == len(SERVICES) + 1, f"{len(found)} programs run: {sorted(found)}"
        return found

    def memory_peaks(self):
        """The peak of each program's memory so far, in MiB."""
        peaks = {}
        for name, process in self.processes().items():
            status = Path(f"/proc/{process}/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
            peaks[name] = int(line.split()[1]) / 1024
        return peaks

    def _wait_until_ready(self):
        deadline = time.monotonic() + READY_WITHIN
        # The pipe closes when the program ends, so the loop ends in every case except a hang,
        # which the runner's own time limit covers.
        for line in self.process.stdout:
            if line.split() and line.split()[0].rstrip(".:") == "ready":
                return
            if time.monotonic() > deadline:
                break
        self.log.seek(0)
        raise RuntimeError(f"`postern up` did not become ready:\n{self.log.read()[-4000:]}")

    def _stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(STOPPED_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise RuntimeError("`postern up` did not stop within 15 s of Ctrl-C")
        finally:
            self.process.stdout.close()
            self.log.close()
            self.folder.cleanup()
