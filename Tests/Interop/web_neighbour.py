"""A well-behaved client beside the attacks, in a process of its own: calls health by JSON over
HTTP/1.1, one call after the other, until its input ends; then prints the calls and their p99 in
milliseconds.

    python web_neighbour.py PORT AUTHORITY
"""

import http.client
import sys
import threading
import time

BODY = b"{}"
FIELDS = {"content-type": "application/json"}


def main():
    port, authority = int(sys.argv[1]), sys.argv[2]
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    times = []
    while not over.is_set():
        started = time.perf_counter()
        connection.request("POST", "/grpc.health.v1.Health/Check", BODY,
                           FIELDS | {"host": authority})
        response = connection.getresponse()
        text = response.read()
        assert response.status == 200, f"{response.status} {text}"
        times.append(time.perf_counter() - started)
        time.sleep(0.005)
    times.sort()
    print(len(times), f"{times[int(len(times) * 0.99)] * 1000:.2f}")


if __name__ == "__main__":
    main()
