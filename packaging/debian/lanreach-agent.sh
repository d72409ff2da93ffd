#!/bin/sh
# Service and command line read the same settings: first ours, then those of the administrator. What already stands in
# the environment outweighs both.
exec /usr/lib/lanreach-agent/node \
  --env-file=/usr/lib/lanreach-agent/defaults.env \
  --env-file-if-exists=/etc/default/lanreach-agent \
  /usr/lib/lanreach-agent/lanreach-agent.mjs "$@"
