#!/bin/sh
# Service and command line read the same settings: first ours, then those of the administrator. What already stands in
# the environment outweighs both.
own=
if [ -e /etc/default/lanreach-agent ]; then own=--env-file=/etc/default/lanreach-agent; fi
exec /usr/lib/lanreach-agent/node \
  --env-file=/usr/lib/lanreach-agent/defaults.env $own \
  /usr/lib/lanreach-agent/lanreach-agent.mjs "$@"
