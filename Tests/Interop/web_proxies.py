"""Whose limits count behind haproxy, nginx and caddy, when clients forge their address.

Each client has an address of its own on loopback (127.0.n.n), and is counted by the limit of
password resets. The proxies are on 127.0.0.1, which the web service trusts.
"""

import contextlib
import http.client
import json
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import protos
from web_stack import WebStack, free_port

LIMIT = "password-reset-by-address"
METHOD = "postern.gateway.v1.Passwords/RequestPasswordReset"
PEEK = "postern.ratelimit.v1.Limits/Peek"
STARTED_WITHIN = 10.0
# On a machine with other load the rate limiter may answer too late; the call is then not counted.
TRIES = 3
# Addresses that clients claim; none of them may ever be counted.
CLAIMED = ["192.0.2.1", "192.0.2.2", "10.0.0.1", "2001:db8::1"]
# What clients send to be another person. Text in latin-1, as it crosses the wire.
FORGERIES = [
    [("X-Forwarded-For", "192.0.2.1")], [("X-Forwarded-For", "192.0.2.1, 192.0.2.2")],
    [("X-Forwarded-For", "192.0.2.1, 127.0.0.1")], [("X-Forwarded-For", "192.0.2.1,127.0.0.1,")],
    [("X-Forwarded-For", "10.0.0.1")], [("X-Forwarded-For", "unknown")],
    [("X-Forwarded-For", "192.0.2.1:80")], [("X-Forwarded-For", "[2001:db8::1]")],
    [("X-Forwarded-For", "::ffff:192.0.2.1")], [("X-Forwarded-For", '"192.0.2.1')],
    [("X-Forwarded-For", ",")], [("X-Forwarded-For", "192.0.2.1\xd8\x80")],
    [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")],
    [("Forwarded", "for=192.0.2.1")], [("Forwarded", 'for="192.0.2.1')],
    [("Forwarded", "for=192.0.2.1;x=\xd8\x80")], [("Forwarded", 'for="[2001:db8::1]:80"')],
    [("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1")],
    [("X-Real-IP", "192.0.2.1"), ("True-Client-IP", "192.0.2.1")],
    [("Client-Address", "192.0.2.1"), ("X-Client-IP", "192.0.2.1"), ("Attempt", "2")],
]

HAPROXY = """
defaults
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend front
    bind 127.0.0.1:{port}
    mode {mode}
    {rules}
    default_backend web
backend web
    mode {mode}
    server web 127.0.0.1:{web} {server}
"""
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
events {{}}
{block}
"""
NGINX_HTTP = """
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port}{listen};
        location / {{ {location} }}
    }}
}}
"""
NGINX_PROXY = """
    proxy_pass http://127.0.0.1:{web};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    {more}
"""
NGINX_GRPC = """
    grpc_pass grpc://127.0.0.1:{web};
    grpc_set_header Host $http_host;
    grpc_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    grpc_set_header Forwarded "";
"""
NGINX_STREAM = """
stream {{
    server {{
        listen 127.0.0.1:{port};
        proxy_pass 127.0.0.1:{web};
        proxy_protocol on;
    }}
}}
"""
CADDY = """
{{
    admin off
    auto_https off
}}
:{port} {{
    bind 127.0.0.1
    reverse_proxy {scheme}127.0.0.1:{web} {{
        header_up -Forwarded
    }}
}}
"""


class Front:
    """One proxy in front of the web service, with its configuration in a folder of its own."""

    def __init__(self, name, kind, web, config, is_grpc=False, counts_proxy=False):
        self.name, self.kind, self.web, self.config = name, kind, web, config
        # The client speaks gRPC by HTTP/2; else JSON by HTTP/1.1.
        self.is_grpc = is_grpc
        # With the client's own `Forwarded` passed on, its address is not credible, and the proxy's
        # counts.
        self.counts_proxy = counts_proxy

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="postern-proxy-")
        folder, self.port = self.folder.name, free_port()
        file = Path(folder) / "config"
        file.write_text(self.config(folder=folder, port=self.port, web=self.web))
        commands = {
            "haproxy": ["haproxy", "-f", file],
            "nginx": ["/usr/sbin/nginx", "-p", folder, "-e", f"{folder}/error.log", "-c", file],
            "caddy": ["caddy", "run", "--adapter", "caddyfile", "--config", file],
        }
        self.log = open(Path(folder) / "log", "w+")
        self.process = subprocess.Popen(
            commands[self.kind], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={"HOME": folder, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        deadline = time.monotonic() + STARTED_WITHIN
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return self
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise RuntimeError(f"{self.name} did not start: {self.log.read()[-2000:]}")
            time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        self.log.close()
        self.folder.cleanup()


def fronts(web, proxied):
    """The proxies: `web` takes fields of trusted proxies, `proxied` requires PROXY protocol."""
    def haproxy(mode, rules="", server=""):
        return lambda **options: HAPROXY.format(mode=mode, rules=rules, server=server, **options)

    def nginx(location, listen=""):
        return lambda **options: NGINX.format(block=NGINX_HTTP.format(
            listen=listen, location=location.format(**options), **options), **options)

    def stream(**options):
        return NGINX.format(block=NGINX_STREAM.format(**options), **options)

    def caddy(scheme):
        return lambda **options: CADDY.format(scheme=scheme, **options)

    forwards = "option forwardfor"
    cleans = forwards + "\n    http-request del-header Forwarded"
    plain = NGINX_PROXY.replace("{more}", 'proxy_set_header Forwarded "";')
    passing = NGINX_PROXY.replace("{more}", "")
    return [
        Front("haproxy, PROXY protocol 2", "haproxy", proxied,
              haproxy("tcp", server="send-proxy-v2")),
        Front("haproxy, PROXY protocol 1", "haproxy", proxied,
              haproxy("tcp", server="send-proxy")),
        Front("haproxy, PROXY protocol 2 by choice", "haproxy", web,
              haproxy("tcp", server="send-proxy-v2")),
        Front("haproxy, forwardfor", "haproxy", web, haproxy("http", cleans)),
        Front("haproxy, Forwarded passed on", "haproxy", web, haproxy("http", forwards),
              counts_proxy=True),
        Front("nginx, proxy_pass", "nginx", web, nginx(plain)),
        Front("nginx, Forwarded passed on", "nginx", web, nginx(passing), counts_proxy=True),
        Front("nginx, grpc_pass", "nginx", web, nginx(NGINX_GRPC, " http2"), is_grpc=True),
        Front("nginx, proxy_protocol", "nginx", proxied, stream),
        Front("caddy", "caddy", web, caddy("")),
        Front("caddy, h2c", "caddy", web, caddy("h2c://")),
    ]


class Counted:
    """How often addresses were counted."""

    def __init__(self, stack):
        self.limits = stack.endpoints.connect("rate-limit")

    def of(self, address):
        decision = self.limits.call(
            PEEK, charges=[{"limit": LIMIT, "subject": address}]).decision
        return decision.attempt - 1


def request():
    return {"email": f"{uuid.uuid4().hex}@example.org", "device": {"device_id": str(uuid.uuid4())}}


def ask_json(port, source, fields, authority, app_key):
    """A call from a source address; its status."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=20, source_address=(source, 0))
    try:
        body = json.dumps(request()).encode()
        connection.putrequest("POST", "/" + METHOD, skip_host=True)
        for name, value in [("Host", authority), ("content-type", "application/json"),
                            ("x-postern-app", app_key), ("content-length", str(len(body))),
                            *fields]:
            connection.putheader(name, value)
        connection.endheaders(body)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def ask_grpc(port, source, fields, authority, app_key):
    """The same in gRPC, by curl: 200 if the call succeeded."""
    message = protos.method(METHOD)[0](**request()).SerializeToString()
    headers = [("host", authority), ("content-type", "application/grpc"), ("te", "trailers"),
               ("x-postern-app", app_key), *fields]
    lines = [word for name, value in headers
             for word in ("--header", f"{name}: {value}".encode("latin-1"))]
    run = subprocess.run(
        ["curl", "--silent", "--http2-prior-knowledge", "--interface", source, "--max-time", "20",
         "--dump-header", "-", "--output", "/dev/null", "--data-binary", "@-", *lines,
         f"http://127.0.0.1:{port}/{METHOD}"],
        input=b"\0" + len(message).to_bytes(4, "big") + message, capture_output=True, timeout=30)
    return 200 if b"grpc-status: 0" in run.stdout.lower() else 0


def attack_front(front, number, counted, authority, app_key):
    """Every forgery through one proxy; returns what is wrong, a line each."""
    wrong, answered = [], 0
    ask = ask_grpc if front.is_grpc else ask_json
    for index, fields in enumerate(FORGERIES):
        source = f"127.0.{number + 1}.{index + 1}"
        is_counted = not (front.counts_proxy and any(name == "Forwarded" for name, _ in fields))
        for _ in range(TRIES):
            status = ask(front.port, source, fields, authority, app_key)
            times = counted.of(source)
            if not is_counted or status != 200 or times:
                break
        answered += status == 200
        if (times > 0) != (status == 200 and is_counted):
            wrong.append(f"{front.name}: {fields}: status {status}, {source} counted {times} times")
    if answered < len(FORGERIES) - 3:  # a proxy may refuse text that is not ASCII
        wrong.append(f"{front.name}: only {answered} of {len(FORGERIES)} calls were answered")
    print(f"  {front.name}: {answered} of {len(FORGERIES)} answered")
    return wrong


def attack_directly(stack, proxied_port, counted, authority):
    """Strangers, without a proxy, who send fields and PROXY headers."""
    wrong = []
    for index, fields in enumerate(FORGERIES):
        source = f"127.0.200.{index + 1}"
        for _ in range(TRIES):
            status = ask_json(stack.port, source, fields, authority, stack.app_key)
            if status != 200 or counted.of(source):
                break
        if status != 200 or not counted.of(source):
            wrong.append(f"a stranger: {fields}: status {status}, not counted")
    body = json.dumps(request()).encode()
    head = (f"POST /{METHOD} HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\n"
            f"x-postern-app: {stack.app_key}\r\nconnection: close\r\n"
            f"content-length: {len(body)}\r\n\r\n").encode()
    headers = [b"PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n",
               b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\2\1\x7f\0\0\1\0\1\0\2", b""]
    for port, source, sent in [(stack.port, "127.0.201.1", headers[0]),
                               (stack.port, "127.0.201.2", headers[1]),
                               (proxied_port, "127.0.201.3", headers[0]),
                               (proxied_port, "127.0.0.1", headers[2])]:
        with socket.create_connection(("127.0.0.1", port), 10, (source, 0)) as wire:
            wire.sendall(sent + head + body)
            try:
                received = wire.recv(4096)
            except ConnectionResetError:
                received = b""
        if received.startswith(b"HTTP/1.1 2"):
            wrong.append(f"a PROXY header of {source} was taken: {sent[:20]}")
    return wrong


def run(programs):
    """Runs all proxies; returns what is wrong, a line each."""
    wrong = []
    with WebStack(programs) as stack:
        authority, port = stack.url.split("://", 1)[1], free_port()
        stack.web_with([f"http://127.0.0.1:{port}", stack.url], proxy_protocol="required")
        counted = Counted(stack)
        for number, front in enumerate(fronts(stack.port, port)):
            with front:
                wrong += attack_front(front, number, counted, authority, stack.app_key)
        wrong += attack_directly(stack, port, counted, authority)
        wrong += [f"{address} was counted, which clients claimed" for address in CLAIMED
                  if counted.of(address)]
    return wrong
