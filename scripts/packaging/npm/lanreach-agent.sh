#!/bin/sh
# The agent as install.sh of its server has installed it. "uninstall" takes all of it away again.
set -e
HOME_OF_AGENT=/usr/local/lib/lanreach-agent
if [ "${1-}" != uninstall ]; then exec @NODE@ "$HOME_OF_AGENT/lanreach-agent.mjs" "$@"; fi

if [ "$(id -u)" != 0 ]; then
  echo 'lanreach-agent: uninstall needs root' >&2
  exit 1
fi
UNITS='lanreach-agent.path lanreach-agent.service'
if [ -d /run/systemd/system ]; then
  systemctl --quiet disable --now $UNITS || true
  for unit in $UNITS; do rm -f "/etc/systemd/system/$unit"; done
  systemctl daemon-reload
  systemctl reset-failed $UNITS 2>/dev/null || true
elif [ -e /Library/LaunchDaemons/lanreach-agent.plist ]; then
  launchctl bootout system/lanreach-agent 2>/dev/null || true
  rm -f /Library/LaunchDaemons/lanreach-agent.plist /var/log/lanreach-agent.log
fi
# systemd keeps the state of dynamic users in private, and a link to it in the old place.
rm -rf /var/lib/lanreach-agent /var/lib/private/lanreach-agent "$HOME_OF_AGENT"
rm -f /usr/local/bin/lanreach-agent
echo 'Nothing of the agent is left on this host.'
