#!/bin/bash
# The readiness probe of the program in this container. Uses its metrics port, which needs no
# secret, at the address that it listens on.
#
#   probe PORT
exec 3<>"/dev/tcp/${POSTERN_METRICS_HOST:-127.0.0.1}/$1" || exit 1
printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[[ $status == 200 ]]
