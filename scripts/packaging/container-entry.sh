#!/bin/sh
# Gives up root before the agent or the server starts. Of all rights it keeps the one to open raw sockets, if the container has it:
# a container that is started as another user cannot pass that right on to nmap and traceroute everywhere.
set -e

USER_ID=10001

if [ "$(id -u)" = 0 ]; then
  data="${LANREACH_AGENT_DATA:-$LANREACH_DATA}"
  mkdir -p "$data"
  chown -R "$USER_ID:$USER_ID" "$data"
  for kept in -all,+net_raw -all; do
    as_user="setpriv --reuid=$USER_ID --regid=$USER_ID --clear-groups --no-new-privs"
    as_user="$as_user --inh-caps=$kept --ambient-caps=$kept --bounding-set=$kept"
    if $as_user true 2>/dev/null; then exec $as_user "$@"; fi
  done
  echo 'container-entry: cannot give up root; start the container with --user 10001' >&2
  exit 1
fi
exec "$@"
