"""With Python and Connect: sign up, state, refresh, an error, sign out.

    pip install connectrpc protoc-gen-connectrpc grpcio-tools
    python -m grpc_tools.protoc -I Protos --python_out=. --connectrpc_out=. \
        --connectrpc_opt=protobuf=google $(cd Protos && ls postern/{gateway,options,wire}/v1/*)
    POSTERN_URL=http://127.0.0.1:7480 POSTERN_APP_KEY=pk_… python python_connect.py
"""
import os, uuid

from connectrpc.errors import ConnectError
from postern.gateway.v1 import gateway_pb2 as api
from postern.gateway.v1.gateway_connect import AuthClientSync
from postern.wire.v1 import wire_pb2

# Without send_compression=None requests are compressed, and refused.
auth = AuthClientSync(os.environ["POSTERN_URL"], send_compression=None, timeout_ms=10_000)

def headers(access_token=None):
    fields = {"x-postern-app": os.environ["POSTERN_APP_KEY"], "idempotency-key": str(uuid.uuid4())}
    return fields | ({"authorization": f"Bearer {access_token}"} if access_token else {})

device = api.Device(device_id="python-1", platform="cli")
ada = dict(email=f"ada-{uuid.uuid4().hex}@example.org", password="Correct7Horse", device=device)
signed_up = auth.sign_up_with_password(api.SignUpWithPasswordRequest(**ada), headers=headers())
print("signed up:", signed_up.account.account_id)
state = auth.check_auth_state(
    api.CheckAuthStateRequest(), headers=headers(signed_up.session.access_token))
print("authenticated:", str(state.authenticated).lower())
request = api.RefreshSessionRequest(refresh_token=signed_up.session.refresh_token, device=device)
session = auth.refresh_session(request, headers=headers()).session
print("refreshed:", session.session_id)
try:
    ada["password"] = "Wrong7Horse"
    auth.sign_in_with_password(api.SignInWithPasswordRequest(**ada), headers=headers())
except ConnectError as error:
    print("error:", wire_pb2.Error.FromString(error.details[0].message_bytes).code)
signed_out = auth.sign_out(api.SignOutRequest(), headers=headers(session.access_token))
print("signed out:", signed_out.ended_sessions)
