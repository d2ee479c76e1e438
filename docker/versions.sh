#!/usr/bin/env bash
# The versions of all Swift packages, the transitive ones too: docker/versions.json. Package.swift
# has ranges, since other packages import PosternClient; builds here use exactly these versions.
#
#   docker/versions.sh [FOLDER [SCRATCH]]   resolves the package in FOLDER (the checkout) to them;
#                                           fails with the packages that differ
#   docker/versions.sh update               resolves to the newest that Package.swift permits, and
#                                           writes versions.json and NOTICE again
#
# SwiftPM prefers the versions in Package.resolved, also without the commits that it adds itself.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
versions=$root/docker/versions.json

# Prints a line for each package of Package.resolved: as in versions.json, without a comma.
pins() {
  awk -F'"' '
    $2 == "identity" { identity = $4; version = "" }
    $2 == "kind" { kind = $4 }
    $2 == "location" { location = $4 }
    $2 == "version" && NF > 3 { version = $4 }
    /^    }/ {
      printf "  {\"identity\": \"%s\", \"kind\": \"%s\", ", identity, kind
      printf "\"location\": \"%s\", ", location
      printf "\"state\": {\"version\": \"%s\"}}\n", version
    }' "$1"
}

# Prints NAME VERSION for each of such lines.
names() { awk -F'"' '$2 == "identity" { print $4, $18 }'; }

# Runs `swift package $1` in folder $2 with scratch folder $3. Its output is long when packages are
# fetched, so it is shown only if this fails.
package() {
  local output
  output=$(swift package --package-path "$2" --scratch-path "${3:-$2/.build}" "$1" 2>&1) || {
    printf '%s\nerror: swift package %s failed in %s\n' "$output" "$1" "$2" >&2
    exit 1
  }
}

# Resolves to versions.json, and compares.
pin() {
  local resolved=$1/Package.resolved differing
  if [[ ! -e $resolved ]] || [[ -n $(differences "$resolved") ]]; then
    cp "$versions" "$resolved"
  fi
  package resolve "$@"
  differing=$(differences "$resolved")
  [[ -z $differing ]] || {
    printf 'error: not the versions of docker/versions.json:\n%s\n' "$differing" >&2
    printf 'after a change of Package.swift: docker/versions.sh update\n' >&2
    exit 1
  }
}

# Prints the packages whose version is not the one of versions.json.
differences() {
  pins "$1" | names | awk '
    NR == FNR { wanted[$1] = $2; next }
    { resolved++ }
    !($1 in wanted) { printf "  %s: not in versions.json\n", $1; next }
    wanted[$1] != $2 { printf "  %s: %s instead of %s\n", $1, $2, wanted[$1] }
    END { if (!resolved) print "  no package could be read from Package.resolved" }
  ' <(names <"$versions") -
}

# The generator's packages are here too, because its output is committed. Tests/Fuzzing and
# Tests/Interop/swift-client have no others than the checkout.
update() {
  local generator=$root/Protos/generator
  package update "$root"
  package update "$generator" "$root/.build/generator"
  {
    printf '{"version": 3, "pins": [\n'
    { pins "$root/Package.resolved" && pins "$generator/Package.resolved"; } |
      LC_ALL=C sort -u -t'"' -k4,4 | sed '$!s/$/,/'
    printf ']}\n'
  } >"$versions.new"
  mv "$versions.new" "$versions"
  "$root/docker/notice.sh" >"$root/docker/NOTICE.new"
  mv "$root/docker/NOTICE.new" "$root/docker/NOTICE"
}

if [[ ${1:-} == update ]]; then update; else pin "${1:-$root}" "${@:2}"; fi
