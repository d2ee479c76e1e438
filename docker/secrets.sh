#!/usr/bin/env bash
# Makes the keys that compose.yaml hands to the services, once; what is there is never touched.
#
#   sudo docker/secrets.sh         needs root, since the files belong to the containers' user
set -euo pipefail

# The user of the images, as the Dockerfile makes it.
owner=10001
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$root/.postern/compose

# Applications prove with <application>.<key id>.key who they are; the others are master keys.
keys=(
  app.1.key gateway.1.key identity.1.key session.1.key notification.1.key tool.1.key
  sign-in-proof.key identity.key session.key rate-limit.key notification.key
)

umask 077
if [[ ! -d $root/.postern ]]; then
  mkdir "$root/.postern"
  # `postern up`, run by the checkout's owner, keeps its data there too.
  chown --reference="$root" "$root/.postern"
fi
mkdir -p "$folder"
# Compose looks for the files as whoever runs it; only the containers' user can read them.
chmod 711 "$folder"
for key in "${keys[@]}"; do
  [[ -e $folder/$key ]] && continue
  od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n' >"$folder/$key.new"
  chown "$owner:$owner" "$folder/$key.new"
  mv "$folder/$key.new" "$folder/$key"
  printf 'made %s\n' "$folder/$key"
done
