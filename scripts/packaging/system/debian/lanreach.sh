#!/bin/sh
# As root it needs no token: that of the server on this host is found where the service keeps it.
export LANREACH_DATA="${LANREACH_DATA:-/var/lib/lanreach-server}"
exec /usr/lib/lanreach-server/node /usr/lib/lanreach-server/dist/cli.js "$@"
