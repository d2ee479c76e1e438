#!/usr/bin/env bash
# Prints docker/NOTICE: what the programs are made of, under which licences. After a change of
# docker/versions.json or of the packages in compose/Dockerfile:
#
#   docker/notice.sh [SCRATCH] >docker/NOTICE     SCRATCH: SwiftPM's folder, .build by default
#
# The Swift packages are read in SwiftPM's checkouts, Debian's in /usr/share/doc.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
checkouts=${1:-$root/.build}/checkouts

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints NAME VERSION for each Swift package, without that of the generator of code.
swift_packages() {
  awk -F'"' '$2 == "identity" && $4 != "swift-protobuf" { print $4, $18 }' \
    "$root/docker/versions.json"
}

# Prints the licence of the Swift package in a folder, by its SPDX name.
swift_licence() {
  local text=$1/LICENSE.txt
  [[ -e $text ]] || fail "$1 has no LICENSE.txt: docker/versions.sh checks the packages out"
  if grep -q 'Runtime Library Exception' "$text"; then
    echo "Apache-2.0 WITH Swift-exception"
  elif grep -q 'Apache License' "$text" && grep -q 'Version 2.0' "$text"; then
    echo "Apache-2.0"
  else
    fail "the licence of $1 is not known here"
  fi
}

# Prints the Debian packages of the images that run programs.
debian_packages() {
  awk '
    / AS base$/ { runs = 1 }
    runs && sub(/.*apt-get install/, "") { lists = 1 }
    lists && /&&/ { lists = 0 }
    # Neither options nor the mark that the list goes on.
    lists { for (word = 1; word <= NF; word++) if ($word !~ /^[-\\]/) print $word }
  ' "$root/docker/compose/Dockerfile" | LC_ALL=C sort -u
}

# Prints the licences that Debian names for the files of a package, except those of its packaging.
debian_licences() {
  local text=/usr/share/doc/$1/copyright
  [[ -e $text ]] || fail "the Debian package $1 is not installed"
  # libxcrypt's is a text for people. Its first sentence names the licence of the whole.
  if [[ $1 == libcrypt1 ]]; then
    echo "LGPL-2.1+"
    return
  fi
  awk '
    BEGIN { RS = ""; FS = "\n" }
    {
      files = licence = ""
      for (line = 1; line <= NF; line++) {
        if ($line ~ /^Files: /) files = substr($line, 8)
        if ($line ~ /^License: /) licence = substr($line, 10)
      }
      sub(/ +$/, "", licence)
      if (files == "" || files ~ /^debian\// || licence == "" || seen[licence]++) next
      printf "%s%s", count++ ? ", " : "", licence
    }
    END { if (!count) exit 1; print "" }
  ' "$text" || fail "$text names no licence"
}

cat <<'END'
What Postern's programs are made of, and under which licences. Written by docker/notice.sh.

No licence of Postern itself has been granted yet: its owner decides.

Swift, in each program
----------------------
The standard library and Foundation: Apache-2.0 WITH Swift-exception

Swift packages, in the programs or in their tests
-------------------------------------------------
END
while read -r name version; do
  licence=$(swift_licence "$checkouts/$name")
  printf '%s %s: %s\n' "$name" "$version" "$licence"
done < <(swift_packages)

cat <<'END'

Debian packages, in the images or loaded by the programs
--------------------------------------------------------
The licences of a package are those that /usr/share/doc/PACKAGE/copyright names for its sources,
also for parts that are not in it.

END
while read -r name; do
  licences=$(debian_licences "$name")
  printf '%s: %s\n' "$name" "$licences"
done < <(debian_packages)

cat <<'END'

In this checkout
----------------
Sources/Addresses/Generated, Tests/AddressesTests/Generated: numbering plans of libphonenumber,
  Apache-2.0, Sources/Addresses/Phone/libphonenumber-LICENSE.txt

Notices of the Swift packages
-----------------------------
The text of Apache-2.0 is in Sources/Addresses/Phone/libphonenumber-LICENSE.txt.
END
while read -r name _; do
  notice=$checkouts/$name/NOTICE.txt
  [[ -e $notice ]] || continue
  { printf '\n==== %s\n\n' "$name" && sed 's/[[:space:]]*$//' "$notice"; } | cat -s
done < <(swift_packages)
