"""Other people's clients of the web service, in one form: grpcio, connectrpc and `buf curl`.

A client calls with messages of `protos`. `name` says what it is, for messages.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

import grpc
from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase)
from grpc_status import rpc_status
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

import protos

WireError = protos.message("postern.wire.v1.Error")
TIMEOUT_SECONDS = 20.0
SERVING = "SERVING"


class WebCallFailed(Exception):
    """The call failed: the status as Connect names it, and our error in its details."""

    def __init__(self, status, error, message=""):
        super().__init__(f"{status}: {error.code if error else 'no detail'}: {message}")
        self.status, self.error, self.message = status, error, message


class GRPCClient:
    """grpcio, the C++ core in Python: gRPC alone."""

    def __init__(self, stack_url, root=None):
        self.name = "grpcio" + (" with TLS" if root else "")
        address = stack_url.split("://", 1)[1]
        self.channel = grpc.insecure_channel(address) if root is None else grpc.secure_channel(
            address, grpc.ssl_channel_credentials(Path(root).read_bytes()))

    def close(self):
        self.channel.close()

    def services(self):
        return list(ProtoReflectionDescriptorDatabase(self.channel).get_services())

    def health(self):
        answer = health_pb2_grpc.HealthStub(self.channel).Check(
            health_pb2.HealthCheckRequest(), timeout=TIMEOUT_SECONDS)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)

    def call(self, method, request, headers):
        response_type = protos.method(method)[1]
        call = self.channel.unary_unary(
            "/" + method, request_serializer=type(request).SerializeToString,
            response_deserializer=response_type.FromString)
        try:
            return call(request, timeout=TIMEOUT_SECONDS, metadata=list(headers.items()))
        except grpc.RpcError as error:
            raise self._failed(error) from None

    def items(self, method, request, headers):
        response_type = protos.method(method)[1]
        call = self.channel.unary_stream(
            "/" + method, request_serializer=type(request).SerializeToString,
            response_deserializer=response_type.FromString)
        items = call(request, timeout=TIMEOUT_SECONDS, metadata=list(headers.items()))
        try:
            yield from items
        except grpc.RpcError as error:
            raise self._failed(error) from None
        finally:
            items.cancel()

    def _failed(self, call):
        name = call.code().name.lower()
        status = rpc_status.from_call(call)
        found = None
        for detail in status.details if status else ():
            if detail.type_url.endswith("/postern.wire.v1.Error"):
                found = WireError.FromString(detail.value)
            elif detail.Is(error_details_pb2.LocalizedMessage.DESCRIPTOR):
                localized = error_details_pb2.LocalizedMessage()
                detail.Unpack(localized)
                assert localized.message, "LocalizedMessage has a sentence"
        return WebCallFailed("canceled" if name == "cancelled" else name, found, call.details())


class ConnectRPCClient:
    """connectrpc in Python: Connect with JSON or protobuf, gRPC, gRPC-Web."""

    def __init__(self, stack_url, protocol="connect", codec="proto", root=None):
        self.name = f"connectrpc, {protocol}, {codec}" + (" with TLS" if root else "")
        http2 = protocol == "grpc"
        self.http = SyncClient(SyncHTTPTransport(
            tls_ca_cert=Path(root).read_bytes() if root else None,
            http_version=HTTPVersion.HTTP2 if http2 else None))
        self.client = ConnectClientSync(
            stack_url, http_client=self.http,
            codec=(google_protobuf_json_codec() if codec == "json"
                   else google_protobuf_binary_codec()),
            protocol={"connect": ProtocolType.CONNECT, "grpc": ProtocolType.GRPC,
                      "grpcweb": ProtocolType.GRPC_WEB}[protocol],
            # The web service takes no compressed requests.
            send_compression=None, timeout_ms=int(TIMEOUT_SECONDS * 1000))

    def close(self):
        self.client.close()

    def services(self):
        return None

    def health(self):
        method = MethodInfo(
            name="Check", service_name="grpc.health.v1.Health",
            input=health_pb2.HealthCheckRequest, output=health_pb2.HealthCheckResponse,
            idempotency_level=IdempotencyLevel.UNKNOWN, stream_type=StreamType.UNARY)
        answer = self.client.execute_unary(request=health_pb2.HealthCheckRequest(), method=method)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)

    def call(self, method, request, headers):
        try:
            return self.client.execute_unary(
                request=request, method=self._method(method, StreamType.UNARY), headers=headers)
        except ConnectError as error:
            raise self._failed(error) from None

    def items(self, method, request, headers):
        try:
            yield from self.client.execute_server_stream(
                request=request, method=self._method(method, StreamType.SERVER_STREAM),
                headers=headers)
        except ConnectError as error:
            raise self._failed(error) from None

    def _method(self, name, kind):
        service, own = name.split("/")
        request, response = protos.method(name)
        return MethodInfo(
            name=own, service_name=service, input=request, output=response,
            idempotency_level=IdempotencyLevel.UNKNOWN, stream_type=kind)

    def _failed(self, error):
        found = next((WireError.FromString(detail.message_bytes) for detail in error.details
                      if detail.type_name == "postern.wire.v1.Error"), None)
        return WebCallFailed(error.code.value, found, error.message)


class BufClient:
    """`buf curl`, connect-go: Connect, gRPC, gRPC-Web. It knows the methods by reflection alone."""

    def __init__(self, stack_url, protocol="connect", root=None):
        self.name = f"buf curl, {protocol}" + (" with TLS" if root else "")
        self.url, self.protocol = stack_url, protocol
        self.options = ["--protocol", protocol] + (["--cacert", root] if root else [])
        self.buf = str(Path(sys.executable).parent / "buf")

    def close(self):
        pass

    def services(self):
        run = subprocess.run(
            [self.buf, "curl", *self.options, "--list-services", self.url],
            capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        assert run.returncode == 0, f"{self.name}: --list-services: {run.stderr}"
        return run.stdout.split()

    def health(self):
        return json.loads(self._output("grpc.health.v1.Health/Check", "{}", {}))["status"]

    def call(self, method, request, headers):
        text = self._output(method, json_format.MessageToJson(request), headers)
        return json_format.Parse(text, protos.method(method)[1]())

    def items(self, method, request, headers):
        response_type = protos.method(method)[1]
        process = subprocess.Popen(
            self._command(method, json_format.MessageToJson(request), headers),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            unread, decoder = "", json.JSONDecoder()
            for line in process.stdout:
                unread += line
                try:
                    item, end = decoder.raw_decode(unread.lstrip())
                except json.JSONDecodeError:
                    continue  # an item takes several lines
                unread = unread.lstrip()[end:]
                yield json_format.ParseDict(item, response_type())
            said = process.stderr.read()
            if process.wait() != 0:
                raise self._failed(said)
        finally:
            process.kill()
            process.wait()

    def _command(self, method, data, headers):
        fields = [word for name, value in headers.items()
                  for word in ("--header", f"{name}: {value}")]
        return [self.buf, "curl", *self.options, *fields, "--data", data, f"{self.url}/{method}"]

    def _output(self, method, data, headers):
        run = subprocess.run(
            self._command(method, data, headers), capture_output=True, text=True,
            timeout=TIMEOUT_SECONDS)
        if run.returncode != 0:
            raise self._failed(run.stderr + run.stdout)
        return run.stdout

    def _failed(self, said):
        start = said.find("{")
        assert start >= 0, f"{self.name}: {said}"
        error, _ = json.JSONDecoder().raw_decode(said[start:])
        found = next((detail for detail in error.get("details", ())
                      if detail["type"] == "postern.wire.v1.Error"), None)
        if found:
            value = found["value"]
            found = WireError.FromString(base64.b64decode(value + "=" * (-len(value) % 4)))
        return WebCallFailed(error["code"], found, error.get("message", ""))


def all_clients(plain_url, tls_url, root):
    """Every client and protocol, plain and with TLS."""
    for url, certificate in ((plain_url, None), (tls_url, root)):
        yield GRPCClient(url, certificate)
        for protocol, codec in (("connect", "json"), ("connect", "proto"), ("grpc", "proto"),
                                ("grpcweb", "proto")):
            yield ConnectRPCClient(url, protocol, codec, certificate)
        for protocol in ("connect", "grpc", "grpcweb"):
            yield BufClient(url, protocol, certificate)
