#!/usr/bin/env bash
# Writes everything that is generated from Protos/: the Swift values, the protocols, clients and
# dispatchers, and the layouts for libprotobuf-c. Run it after changing a .proto, and commit both.
#
#   Protos/generate.sh [OUTPUT_ROOT]    default: the checkout
set -euo pipefail

protos=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$protos")
output=${1:-$root}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in protoc swift; do
    command -v "$tool" >/dev/null || {
        echo "generate.sh: $tool is missing; docker/test.sh installs protobuf-compiler" >&2
        exit 69
    }
done

cd "$protos"
mapfile -t files < <(find postern -name '*.proto' | LC_ALL=C sort)
protoc -I. --include_imports --include_source_info \
    --descriptor_set_out="$work/all.binpb" "${files[@]}"

"$root/docker/versions.sh" "$protos/generator" "$root/.build/generator"
swift build --package-path generator --scratch-path "$root/.build/generator" --quiet \
    -debug-info-format none
generated=("$output"/{Sources/{Messages,Contracts,PosternClient,WebService},Tests/MessagesTests}/Generated)
mkdir -p "${generated[@]}"
find "${generated[@]}" -type f -delete
"$root/.build/generator/debug/generator" "$work/all.binpb" "$output"
