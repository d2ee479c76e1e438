#!/usr/bin/env bash
# Checks the .proto files with buf (https://buf.build): they build, follow the rules of buf.yaml,
# are compatible with promised.binpb, and no public file is missing there.
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

# A file that promised.binpb lacks could change unseen.
of_public_packages() { grep -E "^postern/($(IFS='|'; printf '%s' "${public[*]}"))/" | sort; }
missing=$(comm -23 <("$buf" ls-files | of_public_packages) \
    <("$buf" ls-files promised.binpb | of_public_packages))
if [[ -n $missing ]]; then
    printf 'promised.binpb lacks these files; renew it as Protos/README.md says:\n%s\n' "$missing" >&2
    exit 1
fi
