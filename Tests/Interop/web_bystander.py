"""A well-behaved client beside the attackers of `web_shares.py`, in a process of its own. Each of its
requests is on a new connection, on which a proxy names it. It ends with its input, and prints the
requests, those that failed, their p99 and the slowest, in milliseconds.

    python web_bystander.py PORT AUTHORITY APP_KEY call|page|bundle|watch

A call of health, the OpenAPI document, a guest's bundle of 100 KB, or a stream of health.
"""

import http.client
import json
import struct
import sys
import threading
import time

ADDRESS = "203.0.113.7"
BUNDLE = json.dumps({"documents": [
    {"collection": "goals", "name": f"n{number}", "json": json.dumps({"a": "x" * 9_000}),
     "changedAtMs": "7"} for number in range(11)]}).encode()
# A bundle of a person without a session is refused by the gateway only, when it has arrived.
REQUESTS = {
    "call": ("POST", "/grpc.health.v1.Health/Check", b"{}", "application/json", 200),
    "page": ("GET", "/openapi.json", None, None, 200),
    "bundle": ("PUT", "/v1/guest-bundle", BUNDLE, "application/json", 401),
    "watch": ("POST", "/grpc.health.v1.Health/Watch", struct.pack(">BI", 0, 2) + b"{}",
              "application/connect+json", 200),
}


def ask(port, authority, app_key, kind):
    """One request; returns whether it was served."""
    method, path, body, content_type, expected = REQUESTS[kind]
    fields = {"host": authority, "connection": "close"}
    if content_type:
        fields |= {"content-type": content_type, "connect-protocol-version": "1"}
    if kind == "bundle":
        fields |= {"x-postern-app": app_key, "authorization": "Bearer none"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.connect()
        connection.sock.sendall(f"PROXY TCP4 {ADDRESS} 127.0.0.1 5000 {port}\r\n".encode())
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        if kind == "watch":
            # Its first message: the stream goes on.
            return response.status == expected and response.read(5)[:1] == b"\0"
        response.read()
        return response.status == expected
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main():
    port, authority, app_key, kind = int(sys.argv[1]), *sys.argv[2:5]
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    times, failed = [], 0
    while not over.is_set():
        started = time.perf_counter()
        failed += not ask(port, authority, app_key, kind)
        times.append(time.perf_counter() - started)
        time.sleep(0.01)
    times.sort()
    print(len(times), failed, *(f"{seconds * 1000:.2f}" for seconds in (
        times[int(len(times) * 0.99)], times[-1])))


if __name__ == "__main__":
    main()
