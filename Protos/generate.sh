#!/usr/bin/env bash
# Writes everything that is generated from Protos/. Run it after changing a .proto, and commit both.
#
#   Protos/generate.sh [OUTPUT_ROOT]    default: the checkout
#
#   Sources/Messages/Generated          a Swift value for each message
#   Sources/Contracts/Generated         protocol, client and dispatcher for each service, and the
#                                       descriptors of their files
#   Sources/PosternClient/Generated     the public calls, for other packages
#   Sources/COpenAPI/Generated          the web service's OpenAPI document
#   Sources/CMessages                   the layouts for libprotobuf-c
#   Tests/MessagesTests/Generated       the list of all messages, for tests
#
# Files of the Generated folders that no .proto gives any more are deleted. A checkout changes only
# after the generator has accepted all protos and written everything.
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
"$root/.build/generator/debug/generator" "$work/all.binpb" "$work/output"

folders=("$output"/{Sources/{Messages,Contracts,PosternClient,COpenAPI},Tests/MessagesTests}/Generated)
mkdir -p "${folders[@]}"
find "${folders[@]}" -type f -delete
cp -R "$work/output/." "$output"
