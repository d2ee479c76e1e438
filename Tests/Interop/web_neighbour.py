"""A well-behaved client beside the attacks, in a process of its own: calls health by JSON over
HTTP/1.1, on four connections alternately, so that each event loop of the server has one. It ends
with its input, and prints the calls, their p99 and the slowest, in milliseconds.

    python web_neighbour.py PORT AUTHORITY
"""

import http.client
import sys
import threading
import time

CONNECTIONS = 4
BODY = b"{}"
FIELDS = {"content-type": "application/json"}


def main():
    port, authority = int(sys.argv[1]), sys.argv[2]
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                   for _ in range(CONNECTIONS)]
    times = []
    while not over.is_set():
        connection = connections[len(times) % CONNECTIONS]
        started = time.perf_counter()
        connection.request("POST", "/grpc.health.v1.Health/Check", BODY,
                           FIELDS | {"host": authority})
        response = connection.getresponse()
        text = response.read()
        assert response.status == 200, f"{response.status} {text}"
        times.append(time.perf_counter() - started)
        time.sleep(0.005)
    times.sort()
    print(len(times), *(f"{seconds * 1000:.2f}" for seconds in (
        times[int(len(times) * 0.99)], times[-1])))


if __name__ == "__main__":
    main()
