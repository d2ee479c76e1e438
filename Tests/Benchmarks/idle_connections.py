"""What idle connections cost the web service: opens them, makes one request on each, and prints the
growth of the service's resident memory in MiB.

    python3 idle_connections.py PROCESS PORT CONNECTIONS 1.1|2 [CERTIFICATE]
"""

import re
import socket
import ssl
import sys
import time
from pathlib import Path

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
SETTLED_AFTER = 2.0


def resident_kib(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1])


def request(version, authority, is_tls):
    """GET /health."""
    if version == "1.1":
        return f"GET /health HTTP/1.1\r\nhost: {authority}\r\n\r\n".encode()
    # HPACK (RFC 7541): GET, the scheme, /health and the authority as literals.
    block = bytes([0x82, 0x87 if is_tls else 0x86])
    for name_index, value in ((4, b"/health"), (1, authority.encode())):
        block += bytes([name_index, len(value)]) + value
    head = len(block).to_bytes(3, "big") + bytes([1, 5, 0, 0, 0, 1])
    return PREFACE + SETTINGS + head + block


def open_connection(port, version, context):
    wire = socket.create_connection(("127.0.0.1", port), timeout=20)
    if context:
        wire = context.wrap_socket(wire, server_hostname="localhost")
        expected = "h2" if version == "2" else "http/1.1"
        assert wire.selected_alpn_protocol() == expected, wire.selected_alpn_protocol()
    host = "localhost" if context else "127.0.0.1"
    wire.sendall(request(version, f"{host}:{port}", bool(context)))
    received = b""
    while b"serving" not in received:
        part = wire.recv(4096)
        assert part, f"closed after {received[:200]}"
        received += part
    return wire


def main():
    (process, port, count), version = map(int, sys.argv[1:4]), sys.argv[4]
    context = None
    if len(sys.argv) > 5:
        context = ssl.create_default_context(cafile=sys.argv[5])
        context.set_alpn_protocols(["h2" if version == "2" else "http/1.1"])
    wires = [open_connection(port, version, context)]
    before = resident_kib(process)
    wires += [open_connection(port, version, context) for _ in range(count)]
    time.sleep(SETTLED_AFTER)
    print(f"{(resident_kib(process) - before) / 1024:.1f}")


if __name__ == "__main__":
    main()
