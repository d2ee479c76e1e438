#!/bin/bash
# The readiness probe of the program in this container. Uses its local metrics port, which needs no
# secret.
#
#   probe PORT
exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[[ $status == 200 ]]
