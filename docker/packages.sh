# The set-up that up.sh, test.sh, bench.sh and soak.sh share. To be sourced, not run.
#
# Everything is created below .build, except Debian packages, which are named before they are
# installed.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.build/venv
swift_version_min=6.2

# What `swift build` needs besides Swift.
build_packages=(
  git libc6-dev libstdc++-12-dev pkg-config
  libprotobuf-c-dev protobuf-compiler libprotobuf-dev
  libssl-dev libsqlite3-dev libpq-dev libargon2-dev libcrypt-dev libcurl4-openssl-dev libidn2-dev
  libyaml-dev zlib1g-dev libnghttp2-dev libmaxminddb-dev libqrencode-dev
)

# What `--target Programs` makes.
programs=(postern postern-{gateway,identity,session,rate-limit,notification,web})

# What the programs call: the tool encrypts and opens backups with it.
run_packages=(age)

# Flags with which the tests are built: without debugging information, which is a third of the time.
test_build=(-debug-info-format none)

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Installs those of the named Debian packages that are missing, and names them first.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "these Debian packages are missing, and there is no sudo to install them: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  if [[ " ${missing[*]} " == *" postgresql-"* ]]; then
    # Otherwise the package creates and starts a server. Tests, and `postern up --store private`,
    # start their own.
    "${as_root[@]}" sh -c 'mkdir -p /etc/postgresql-common &&
      echo "create_main_cluster = false" >>/etc/postgresql-common/createcluster.conf'
  fi
  "${as_root[@]}" apt-get update -qq || fail "apt-get update failed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null </dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

# Fails with a clear message if Swift is missing or too old.
need_swift() {
  command -v swift >/dev/null ||
    fail "Swift is not installed: https://www.swift.org/install/linux/debian/12/"
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n1)
  [[ -n $version ]] || fail "swift --version does not answer"
  local oldest
  oldest=$(printf '%s\n' "$swift_version_min" "$version" | sort -V | head -n1)
  [[ $oldest == "$swift_version_min" ]] ||
    fail "Swift $swift_version_min or later is needed, this is $version"
}

# Fails with a clear message on systems whose packages have other names.
need_debian() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this script knows Debian 12; elsewhere install the libraries that it names, then build"
}

# Installs everything that a build and the programs need, in the versions that the checkout names.
set_up() {
  need_debian
  need_packages "${build_packages[@]}" "${run_packages[@]}" "$@"
  need_swift
  say "resolving the Swift packages to docker/versions.json"
  "$root/docker/versions.sh"
}

# Prints the folder that .build was made in, which many of its files name; nothing without one. A
# build from before this was recorded: SwiftPM's own file says it.
built_in() {
  local build=$root/.build
  if [[ -e $build/made-in ]]; then
    cat "$build/made-in"
  else
    { grep -ahom1 '"/[^"]*/\.build/' "$build"/{release,debug}.yaml 2>/dev/null || true; } |
      sed -n '1{s|/\.build/.*||;s|^"||;p}'
  fi
}

# Removes what was built before the folder was moved or copied. The compiler would fail with errors
# about modules that are in the former folder.
remove_moved_build() {
  local from
  from=$(built_in)
  [[ -n $from ]] && ! [[ $from -ef $root ]] || return 0
  say "this folder was built as $from: removing .build, whose files name that folder"
  rm -rf "$root/.build"
}

# Prints a hash of everything that the programs are built from, but for the system's libraries.
source_state() {
  (
    cd "$root"
    swift --version 2>/dev/null
    find Package.swift docker/versions.json Sources ! -type d -print0 | LC_ALL=C sort -z |
      xargs -0 sha256sum
  ) | sha256sum
}

# Whether all programs were built from the sources whose hash is $1, and not again since.
are_built() {
  local record=$root/.build/programs-of program
  [[ $(cat "$record" 2>/dev/null) == "$1" ]] || return 1
  for program in "${programs[@]}"; do
    program=$root/.build/release/$program
    [[ -x $program ]] && ! [[ $program -nt $record ]] || return 1
  done
}

# Builds the programs, installing what a build needs, unless all are of this checkout. Sets $release.
build_changed() {
  local state record=$root/.build/programs-of
  remove_moved_build
  need_debian
  need_swift
  state=$(source_state)
  if are_built "$state"; then
    say "the programs are of this checkout: nothing to build"
    need_packages "${run_packages[@]}" "$@"
    release=$root/.build/release
    return
  fi
  [[ -e $root/.build/release/postern ]] ||
    say "the first build takes about 8 minutes on 2 cores; later ones seconds"
  set_up "$@"
  rm -f "$record"
  mkdir -p "$root/.build"
  (cd "$root" && pwd -P) >"$root/.build/made-in"
  build_release
  # A source that was changed meanwhile may be in some programs only.
  [[ $(source_state) != "$state" ]] || printf '%s\n' "$state" >"$record"
}

# Creates the Python environment for the tools and the Python client, with the versions that the
# tests require.
set_up_python() {
  local wanted=$root/Tests/Interop/requirements.txt
  if cmp -s "$wanted" "$venv/requirements.txt"; then return 0; fi
  say "making the Python environment .build/venv"
  rm -rf "$venv"
  mkdir -p "$root/.build"
  /usr/bin/python3 -m venv "$venv" || fail "python3 -m venv failed"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" </dev/null ||
    fail "pip could not install Tests/Interop/requirements.txt"
  cp "$wanted" "$venv/requirements.txt"
}

# Builds the programs for release; sets $release to their folder. The whole output is in the log.
build_release() {
  local log=$root/.build/release.log
  mkdir -p "$root/.build"
  say "building the programs"
  swift build --package-path "$root" -c release --target Programs 2>&1 | tee "$log" |
    show_build || {
    { grep -a 'error:' "$log" | sort -u || tail -n 5 "$log"; } >&2
    fail "the build failed; its output is in $log"
  }
  release=$root/.build/release
}

# Shows the output of `swift build`, which has a line for each C file and each module, as a line for
# each program, with its time; in between the current step, on a terminal in place, else once a
# minute.
show_build() {
  local line time seconds minute=0 began=$SECONDS
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Compiling|Linking)\ ([^ ]+) ]] || continue
    seconds=$((SECONDS - began))
    time=$(printf '%4d:%02d' $((seconds / 60)) $((seconds % 60)))
    if [[ ${BASH_REMATCH[3]} == Linking ]]; then
      line="$time  ${BASH_REMATCH[4]}"$'\n'
    elif [[ -t 2 ]]; then
      line="$time  step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}: ${BASH_REMATCH[4]}"
    elif ((seconds / 60 > minute)); then
      line="$time  step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"$'\n'
    else
      continue
    fi
    minute=$((seconds / 60))
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
    printf '%s' "$line" >&2
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}
