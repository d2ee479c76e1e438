#!/usr/bin/env bash
# Gives a backend on this host what it needs to call the gateway of compose: its key, and a file
# with the addresses, as `postern up` writes one. Run it again after the key was rotated.
#
#   sudo docker/compose/backend.sh [APPLICATION [FOLDER [SECRETS]]]
#
# Default: app .postern/backend .postern/compose; SECRETS is the folder of secrets.sh. Root, since
# its files belong to the containers' user.
#
#   FOLDER/APPLICATION.KEYID.key   its private key, readable by the user who calls sudo only
#   FOLDER/endpoints.json          gateway and web service, and the key's file
#
# Another backend: `postern applications add NAME --client-address --data .postern/compose` first.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
application=${1:-app}
folder=${2:-$root/.postern/backend}
keys=${3:-$root/.postern/compose}/keys/applications

umask 077

fail() {
  printf 'backend.sh: %s\n' "$*" >&2
  exit 1
}

[[ $application =~ ^[a-z0-9][a-z0-9-]*$ ]] || fail "$application is not the name of an application"
# The tool's key permits what no backend may do.
[[ $application != tool ]] || fail "tool is the operator's own application"
[[ -r $keys ]] ||
  fail "$keys cannot be read: run docker/compose/secrets.sh first, and this as root"

# The key that was made last; a rotation makes another one.
key=$(find "$keys" -maxdepth 1 -name "$application.*.key" -printf '%T@ %f\n' | sort -n | tail -n1)
key=${key#* }
[[ -n $key ]] || fail "$application has no key in $keys"

owner=()
if ((EUID == 0)) && [[ -n ${SUDO_UID:-} ]]; then owner=(-o "$SUDO_UID" -g "$SUDO_GID"); fi
[[ -d $folder ]] || install -d -m 700 "${owner[@]}" "$folder"
install -m 600 "${owner[@]}" "$keys/$key" "$folder/$key"
install -m 600 "${owner[@]}" /dev/stdin "$folder/endpoints.json" <<EOF
{
  "gateway": "127.0.0.1:7400",
  "web": {"url": "http://127.0.0.1:7480"},
  "application": {"id": "$application", "secret_file": "$key"}
}
EOF
printf '%s\n' "made $folder/$key" "made $folder/endpoints.json, to try it:" \
  "  echo '{}' | postern call postern.gateway.v1.SignInOptions/GetSignInOptions - \\" \
  "    --endpoints $folder/endpoints.json"
