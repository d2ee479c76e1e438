#!/usr/bin/env bash
# Checks the .proto files with buf (https://buf.build): they build, follow the rules of buf.yaml,
# and are compatible with promised.binpb, the API as of the last release.
#
#   Protos/check.sh [BUF]    default: the buf of docker/test.sh, .build/venv/bin/buf
set -euo pipefail

protos=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$protos")
buf=${1:-$root/.build/venv/bin/buf}
export BUF_CACHE_DIR=$root/.build/buf

cd "$protos"
"$buf" build --output /dev/null
"$buf" lint

# Packages with callers outside of this project: generated code in any language still compiles.
public=(gateway wire health reflection options)
# compatible CATEGORY FLAG: FLAG selects files by the folders of the public packages.
compatible() {
    "$buf" breaking --against promised.binpb --exclude-imports "${public[@]/#/$2=postern/}" --config \
        '{"version": "v2", "modules": [{"path": ".", "excludes": ["generator"]}],
          "breaking": {"use": ["'"$1"'"]}}'
}
compatible FILE --path
# Packages between our own programs: two releases that run beside each other understand each other.
compatible WIRE --exclude-path
