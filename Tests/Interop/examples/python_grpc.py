"""With Python and gRPC: sign up, state, refresh, an error, sign out.

    pip install grpcio grpcio-status grpcio-tools
    python -m grpc_tools.protoc -I Protos --python_out=. --grpc_python_out=. \
        $(cd Protos && ls postern/{gateway,options,wire}/v1/*)
    POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… python python_grpc.py
"""
import os, uuid
from urllib.parse import urlsplit

import grpc
from grpc_status import rpc_status
from postern.gateway.v1 import gateway_pb2 as api, gateway_pb2_grpc
from postern.wire.v1 import wire_pb2

url = urlsplit(os.environ["POSTERN_URL"])
channel = (grpc.secure_channel(url.netloc, grpc.ssl_channel_credentials())
           if url.scheme == "https" else grpc.insecure_channel(url.netloc))
auth = gateway_pb2_grpc.AuthStub(channel)

def metadata(access_token=None):
    app = ("x-postern-app", os.environ["POSTERN_APP_KEY"])
    fields = [app, ("idempotency-key", str(uuid.uuid4()))]
    return fields + ([("authorization", f"Bearer {access_token}")] if access_token else [])

device = api.Device(device_id="python-1", platform="cli")
ada = dict(email=f"ada-{uuid.uuid4().hex}@example.org", password="Correct7Horse", device=device)
request = api.SignUpWithPasswordRequest(**ada)
signed_up = auth.SignUpWithPassword(request, metadata=metadata(), timeout=10)
print("signed up:", signed_up.account.account_id)
signed_in = metadata(signed_up.session.access_token)
state = auth.CheckAuthState(api.CheckAuthStateRequest(), metadata=signed_in)
print("authenticated:", str(state.authenticated).lower())
request = api.RefreshSessionRequest(refresh_token=signed_up.session.refresh_token, device=device)
session = auth.RefreshSession(request, metadata=metadata()).session
print("refreshed:", session.session_id)
try:
    ada["password"] = "Wrong7Horse"
    auth.SignInWithPassword(api.SignInWithPasswordRequest(**ada), metadata=metadata())
except grpc.RpcError as error:
    detail = rpc_status.from_call(error).details[0]
    print("error:", wire_pb2.Error.FromString(detail.value).code)
signed_out = auth.SignOut(api.SignOutRequest(), metadata=metadata(session.access_token))
print("signed out:", signed_out.ended_sessions)
