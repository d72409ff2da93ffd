#!/bin/sh
# Settings: first ours, then those of the administrator. What already stands in the environment outweighs both.
exec /usr/lib/lanreach-server/node \
  --env-file=/usr/lib/lanreach-server/defaults.env \
  --env-file-if-exists=/etc/default/lanreach-server \
  /usr/lib/lanreach-server/dist/local.js "$@"
