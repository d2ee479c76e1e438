"""`postern up` with its web service, and a second web service with TLS in front of the same
gateway.

The client's own machine is a trusted proxy here, so that each client can be another person.
"""

import base64
import datetime
import hashlib
import ipaddress
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
import uuid
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cluster import Cluster

LOOPBACK = "127.0.0.1/32"
READY_WITHIN = 15.0


class WebStack(Cluster):
    """The programs, started with settings of the web service."""

    def __init__(self, programs, **settings):
        super().__init__(programs)
        self.settings = {"trusted_proxies": LOOPBACK, **settings}

    def __enter__(self):
        # `postern up` passes its environment on to the programs, which read POSTERN_….
        before = dict(os.environ)
        os.environ.update({f"POSTERN_{name.upper()}": value
                           for name, value in self.settings.items()})
        try:
            super().__enter__()
        finally:
            os.environ.clear()
            os.environ.update(before)
        said = json.loads((self.data / "endpoints.json").read_text())
        self.url, self.app_key = said["web"]["url"], said["web"]["app_key"]
        self.port = int(self.url.rsplit(":", 1)[1])
        self.metrics_addresses = said["metrics"]
        self.extra = []
        return self

    def __exit__(self, kind, *rest):
        for process in self.extra:
            stop(process)
        super().__exit__(kind, *rest)

    @property
    def data(self):
        return Path(self.folder.name) / "data"

    def web_process(self):
        """The id of the web service's process."""
        return self.processes()["postern-web"]

    def web_with(self, origins, **options):
        """Another web service in front of the same gateway. Returns its process; it listens on the
        port of its origin."""
        port = origins[0].rsplit(":", 1)[1]
        ports = Path(self.folder.name) / f"web.{port}.ports"
        settings = {
            "listen_port": port, "metrics_port": "0", "port_file": str(ports),
            "applications_folder": str(self.data / "keys" / "web"),
            "apps_file": str(self.data / "apps.yaml"), "web_origins": ",".join(origins),
            "gateway_address": self.endpoints.addresses["gateway"], "trusted_proxies": LOOPBACK,
            **options,
        }
        flags = [word for name, value in settings.items() if value
                 for word in ("--" + name.replace("_", "-"), value)]
        with open(Path(self.folder.name) / f"web.{port}.log", "w") as log:
            process = subprocess.Popen(
                [self.programs / "postern-web", *flags], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)
        self.extra.append(process)
        deadline = time.monotonic() + READY_WITHIN
        # The port file is written once the gateway has answered.
        while not ports.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                said = (Path(self.folder.name) / f"web.{port}.log").read_text()
                raise RuntimeError(f"postern-web did not become ready:\n{said[-4000:]}")
            time.sleep(0.05)
        return process

    def web_with_tls(self):
        """A web service with TLS; returns its URL and the file of its root certificate."""
        files = write_certificates(Path(self.folder.name))
        url = f"https://localhost:{free_port()}"
        self.web_with([url], tls_certificate_file=files["chain"], tls_key_file=files["key"])
        return url, files["root"]

    def gateway_calls(self):
        """How many calls the gateway has finished, besides health checks."""
        page = metrics_page(self.metrics_addresses["gateway"])
        return sum(float(line.rsplit(" ", 1)[1]) for line in page.splitlines()
                   if line.startswith("postern_rpc_calls_total{") and "Health/" not in line)


def stop(process):
    """Ends a process that was started here."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        raise RuntimeError("postern-web did not stop within 15 s of SIGTERM") from None


def metrics_page(address):
    """The text of a program's metrics."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as page:
        return page.read().decode()


def free_port():
    """A port that is free at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def resident_bytes(process):
    """The resident memory of a process (RSS)."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1]) * 1024


def backend_token(key, method, audience, body=None, **claims):
    """The JWT by which one HTTP call counts as that of the key's application."""
    now = int(time.time())
    claims = {"iss": key.application, "sub": key.application, "aud": audience, "iat": now,
              "exp": now + 60, "method": method, **claims}
    if body is not None:
        claims["bh"] = base64url(hashlib.sha256(body).digest())
    header = {"alg": "EdDSA", "typ": "client-authentication+jwt",
              "kid": f"{key.application}.{key.key_id}"}
    message = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    return message + "." + base64url(key.secret.sign(message.encode()))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def write_certificates(folder):
    """A root and a server's certificate for localhost; the paths of both and of the key."""
    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"root {uuid.uuid4()}")])
    root = certificate(root_name, root_name, root_key, root_key, is_root=True)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    chain = certificate(name, root_name, key, root_key, is_root=False)
    pem = serialization.Encoding.PEM
    files = {
        "root": root.public_bytes(pem),
        "chain": chain.public_bytes(pem) + root.public_bytes(pem),
        "key": key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    }
    paths = {}
    for kind, content in files.items():
        path = folder / f"{kind}.pem"
        path.touch(mode=0o600)
        path.write_bytes(content)
        paths[kind] = str(path)
    return paths


def certificate(subject, issuer, key, issuer_key, is_root):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True))
    if not is_root:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([
                x509.DNSName("localhost"),
                x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())
