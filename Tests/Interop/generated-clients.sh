#!/usr/bin/env bash
# Generates a client's messages with protoc from the folders that the page for apps names, gateway/,
# wire/ and options/, and compiles them: a .proto there that needs another folder, or that a
# language cannot express, fails here.
#
#   Tests/Interop/generated-clients.sh python    with the Python of docker/test.sh
#   Tests/Interop/generated-clients.sh go        docker/soak.sh installs what it needs
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/protos/postern" "$work/src"
cp -r "$root"/Protos/postern/{gateway,wire,options} "$work/protos/postern"
cd "$work/protos"
mapfile -t files < <(find postern -name '*.proto' | LC_ALL=C sort)

case ${1:-} in
python)
  protoc -I. --python_out="$work/src" "${files[@]}"
  cd "$work/src"
  find postern -name '*_pb2.py' | sed 's/\.py$//; s,/,.,g; s/^/import /' >client.py
  cat >>client.py <<'EOF'
# A call's frame as a client writes it, and an option that it reads.
from postern.gateway.v1 import gateway_pb2
from postern.options.v1 import options_pb2
from postern.wire.v1 import wire_pb2

request = gateway_pb2.SignInWithPasswordRequest(email="ada@example.org", password="p")
frame = wire_pb2.Frame(request=wire_pb2.Request(call=1, payload=request.SerializeToString()))
assert wire_pb2.Frame.FromString(frame.SerializeToString()) == frame
refresh = gateway_pb2.DESCRIPTOR.services_by_name["Auth"].methods_by_name["RefreshSession"]
assert refresh.GetOptions().Extensions[options_pb2.session] == options_pb2.SESSION_NONE
EOF
  "$root/.build/venv/bin/python" client.py
  ;;
go)
  protoc -I. --go_out="$work/src" "${files[@]}"
  # Debian's packages have no modules: the library is in its own GOPATH.
  GO111MODULE=off GOPATH=$work:/usr/share/gocode GOCACHE=$work/cache go vet postern/...
  ;;
*)
  echo "usage: generated-clients.sh python|go" >&2
  exit 64
  ;;
esac
