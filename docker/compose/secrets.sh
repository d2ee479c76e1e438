#!/usr/bin/env bash
# Creates the keys and folders that compose.yaml passes to the services; existing ones are kept.
# Needs openssl.
#
#   sudo docker/compose/secrets.sh [FOLDER]   FOLDER: .postern/compose; root, since the files belong
#                                             to the containers' user
#
#   FOLDER/*.key                         master keys, 32 bytes each, as hexadecimal
#   FOLDER/keys/SERVER/                  the application keys that one service gets:
#     SERVER.1.key                         its own private key (Ed25519, PKCS #8), if it needs one
#     CALLER.1.pub                         the public keys of its callers (SubjectPublicKeyInfo)
#   FOLDER/keys/gateway/callers          the gateway's list of callers
#   FOLDER/web/apps.yaml                 the apps that may call the web service
#   FOLDER/keys/applications/            the private keys of your backend (app) and of the tool
#   FOLDER/inbox/                        mails while no mail server is set
#   FOLDER/tombstones/                   hashes of deleted accounts, beside those in identity's volume
#   FOLDER/exports/                      files of `postern export` and `postern import`
#   FOLDER/backups/                      backups of the service `backup`
#   FOLDER/siem/                         lines of the audit trails, of the service `siem`
#   docker/compose/.env                  the name of compose's project, for the default FOLDER
#
# `postern applications … --data FOLDER`, as root, adds applications, rotates and removes keys.
# After `rotate tool`, set POSTERN_TOOL_KEY=tool.KEYID.key in docker/compose/.env, so that compose
# uses the new key.
#
# In a folder of a build whose application keys were shared (FOLDER/NAME.1.key), the keys of
# Postern's own programs are replaced, since each server could use them to call as its callers. The
# key of app is kept, known to the gateway only, with a warning.
set -euo pipefail

# The user of the images, as in the Dockerfile.
owner=10001
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$root/.postern/compose}
keys=$folder/keys

# The callers of each server, as in Sources/postern/Applications/KeyFolders.swift.
declare -A callers=(
  [gateway]="app tool web"
  [identity]="gateway session notification tool"
  [session]="gateway identity notification tool"
  [rate-limit]="gateway identity notification tool"
  [notification]="identity tool"
)
applications=(app tool gateway identity session notification web)
master_keys=(sign-in-proof identity session rate-limit notification web)

umask 077

fail() {
  printf 'secrets.sh: %s\n' "$*" >&2
  exit 1
}

# Gives $1 to the containers' user. Without root it stays the caller's, for inspection.
hand_over() {
  if ((EUID == 0)); then chown "$owner:$owner" "$1"; fi
}

# Writes standard input to $1 atomically.
put() {
  cat >"$1.new"
  # If the command that produces it has failed: an empty key would be kept permanently.
  [[ -s $1.new ]] || { rm -f "$1.new"; fail "no content for $1"; }
  hand_over "$1.new"
  mv "$1.new" "$1"
  printf 'made %s\n' "$1"
}

# Prints the folder of the private key of $1.
home_of() {
  if [[ -v callers[$1] || $1 == web ]]; then printf '%s' "$keys/$1"; else printf '%s' "$keys/applications"; fi
}

make_folders() {
  if [[ $folder == "$root/.postern/compose" && ! -d $root/.postern ]]; then
    mkdir "$root/.postern"
    # `postern up`, run by the checkout's owner, keeps its data there too.
    chown --reference="$root" "$root/.postern"
  fi
  # Compose looks up the files as the user who runs it; only the containers' user can read them.
  mkdir -p "$keys"
  chmod 711 "$folder" "$keys"
  local name
  for name in "${!callers[@]}" web applications; do
    mkdir -p "$keys/$name"
    hand_over "$keys/$name"
  done
  chmod 711 "$keys/applications"
  for name in web inbox exports backups siem tombstones; do
    mkdir -p "$folder/$name"
    hand_over "$folder/$name"
  done
}

# Names compose's project: without it the name would be that of the folder of compose.yaml.
name_project() {
  local file=$root/docker/compose/.env
  [[ $folder == "$root/.postern/compose" && ! -e $file ]] || return 0
  printf 'COMPOSE_PROJECT_NAME=postern\n' >"$file"
  # Compose reads it as the user who runs it; it has no secret.
  chmod 644 "$file"
  chown --reference="$root" "$file"
  printf 'made %s\n' "$file"
}

make_master_keys() {
  local name
  for name in "${master_keys[@]}"; do
    [[ -e $folder/$name.key ]] && continue
    od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' | put "$folder/$name.key"
  done
}

# Migrates the keys of builds that shared them.
take_over() {
  local name
  for name in "${applications[@]}"; do
    [[ -e $folder/$name.1.key ]] || continue
    if [[ $name != app ]]; then
      rm "$folder/$name.1.key"
      printf 'removed %s: it was shared with the servers\n' "$folder/$name.1.key"
    elif [[ ! -e $keys/gateway/app.1.key && -z $(find "$keys/gateway" -name 'app.*.pub') ]]; then
      put "$keys/gateway/app.1.key" <"$folder/app.1.key"
    fi
  done
  [[ -e $keys/gateway/app.1.key ]] || return 0
  printf '%s\n' "app authenticates with a secret that the gateway shares; to replace it:" \
    "  postern applications rotate app --data $folder     (as root; give app the new file)" \
    "  postern applications remove app --key 1 --data $folder" >&2
}

# Permits the web service at the gateway, before it has a key: an operator who removes the line later
# has removed it for good.
permit_web() {
  [[ -z $(find "$keys/web" -name 'web.*.key') ]] || return 0
  ! grep -q '^web\b' "$keys/gateway/callers" || return 0
  { cat "$keys/gateway/callers" && echo "web client-address application-tokens public-methods"; } |
    put "$keys/gateway/callers"
}

# Creates the file of the apps, without an app.
make_apps() {
  [[ -e $folder/web/apps.yaml ]] && return
  printf '%s\n' \
    "# The apps that may call the web service, by the key that they send in x-postern-app." \
    "#" \
    "#   shop-web:" \
    "#     platforms: [web]" \
    "#     key: pk_…                       made by: echo pk_\$(openssl rand -hex 16)" \
    "#     origins: [https://shop.example.org]" | put "$folder/web/apps.yaml"
}

# Creates a key pair of $1, unless it has one, and its public key for each server that it calls.
make_pair() {
  local name=$1 private server public
  private=$(home_of "$name")/$name.1.key
  # After a rotation, or with a migrated secret, there is another key.
  if [[ ! -e $private ]]; then
    [[ -n $(find "$keys" -name "$name.*.key") ]] && return
    openssl genpkey -algorithm ed25519 | put "$private"
  fi
  for server in "${!callers[@]}"; do
    [[ " ${callers[$server]} " == *" $name "* ]] || continue
    public=$keys/$server/$name.1.pub
    [[ -e $public ]] && continue
    openssl pkey -in "$private" -pubout | put "$public"
  done
}

command -v openssl >/dev/null || fail "openssl is missing: apt-get install openssl"
make_folders
name_project
make_master_keys
take_over
[[ -e $keys/gateway/callers ]] || printf '%s\n' \
  "# Who may call the gateway, a line each; \`postern applications\` writes here too." \
  "#" \
  "#   NAME [client-address] [certificate=NAME] [METHOD or SERVICE/*]…" \
  "app client-address" \
  "tool client-address" \
  "# The web service: it calls for browsers and phones, and carries the tokens of backends." \
  "web client-address application-tokens public-methods" | put "$keys/gateway/callers"
permit_web
make_apps
for name in "${applications[@]}"; do make_pair "$name"; done
