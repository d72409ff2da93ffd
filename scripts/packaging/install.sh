#!/bin/sh
# Installs the agent of LanReach on this host, enrols it and starts it; or brings the one that is here up to date. As root:
#
#   curl -fsSL <URL>/agent/install.sh | sh -s -- --url <URL> --code <code>
#
# The packages of the server are signed as a whole. Nothing of them is unpacked or run before the signature has been
# checked with the key in this script, and the package with the signed digest. A failure prints one sentence and leaves a host
# without an agent as it was, except for programs of Debian's own packages.
set -eu

KEY='@RELEASE_KEY@'

# Where the agent goes on hosts without its Debian package.
LIB=/usr/local/lib/lanreach-agent
BIN=/usr/local/bin/lanreach-agent
UNITS=/etc/systemd/system
PLIST=/Library/LaunchDaemons/lanreach-agent.plist
STATE=/var/lib/lanreach-agent
TEXT_BYTES=16384

main() {
  export LC_ALL=C DEBIAN_FRONTEND=noninteractive
  PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin
  umask 022
  url= code= name= work=
  read_arguments "$@"
  [ "$(id -u)" = 0 ] || fail 'this needs root: put "sudo" in front of "sh" in the line'
  has curl || has wget || fail 'neither curl nor wget is here: install one of them, then run this again'
  trap 'if [ -n "$work" ]; then rm -rf "$work"; fi' EXIT
  trap 'exit 130' HUP INT TERM
  work=$(mktemp -d "${TMPDIR:-/tmp}/lanreach-XXXXXX") || fail 'no temporary directory can be made'
  chmod 755 "$work" # apt reads the package as a user of its own.
  fetch_release
  choose_package
  fetch_package
  if [ "$kind" = npm ]; then install_npm; else install_deb; fi
  enrol
}

read_arguments() {
  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1: expected --url <URL> and --code <code>"
    case $1 in
      --url) url=${2%/} ;;
      --code) code=$2 ;;
      --name) name=$2 ;; # Of the agent, with a code for several hosts; otherwise it is named after this one.
      *) fail "$1: expected --url <URL> and --code <code>" ;;
    esac
    shift 2
  done
  case $url in
    *[![:graph:]]*) fail '--url: expected the URL of the API' ;;
    http://?* | https://?*) ;;
    *) fail '--url: expected the URL of the API, such as https://lanreach.example.org' ;;
  esac
  case $code in
    *[!A-Za-z0-9_-]* | -*) fail '--code: this is no enrolment code' ;;
  esac
}

say() { printf '%s\n' "$1"; }
fail() {
  printf 'lanreach-agent: %s\n' "$1" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# fetch <path below /agent/> <largest size> [<permit>]: into a file of the same name
fetch() {
  to=$work/${1##*/}
  # wget has no limit of its own, and older curls none for what comes without its length. In blocks of 512 bytes, or of 1024.
  blocks=$(($2 / 512 + 1))
  if has curl; then
    case $url in
      https:*) protocols='=https' ;;
      *) protocols='=http,https' ;;
    esac
    why=$(ulimit -f "$blocks"; curl -fsSL --globoff --proto "$protocols" --connect-timeout 20 --max-time 900 --max-filesize "$2" --output "$to" \
      ${3:+--header "LanReach-Permit: $3"} "$url/agent/$1" 2>&1) || cannot_fetch "$@"
  else
    why=$(ulimit -f "$blocks"; wget -q -T 20 -O "$to" ${3:+--header "LanReach-Permit: $3"} "$url/agent/$1" 2>&1) || cannot_fetch "$@"
  fi
  [ "$(wc -c <"$to")" -le "$2" ] || fail "$url/agent/$1 is larger than it may be"
}

cannot_fetch() { fail "cannot fetch $url/agent/$1${why:+: $why}${3:+; if the code is used or expired, ask for a new line}"; }

fetch_release() {
  fetch release.json "$TEXT_BYTES"
  fetch release.json.sig "$TEXT_BYTES"
  if ! has openssl; then
    has apt-get || fail 'openssl is not here, so the signature cannot be checked: install it, then run this again'
    say 'Installing openssl, to check the signature ...'
    apt_install openssl
  fi
  printf '%s\n' "$KEY" >"$work/key.pem"
  openssl base64 -d -A -in "$work/release.json.sig" -out "$work/signature" 2>/dev/null || true
  openssl dgst -sha256 -verify "$work/key.pem" -signature "$work/signature" "$work/release.json" >/dev/null 2>&1 ||
    fail 'the signature of the release is wrong, so nothing was installed'
  version=$(sed -n 's/^  "version": "\([0-9.]*\)",$/\1/p' "$work/release.json")
  oldest_node=$(sed -n 's/^  "node": "\([0-9.]*\)",$/\1/p' "$work/release.json")
  [ -n "$version" ] && [ -n "$oldest_node" ] || fail 'this script cannot read the release: fetch it anew'
}

# entry_of <kind>: name, size and digest of that package; nothing when the release has none
entry_of() {
  sed -n "s/^    {\"kind\":\"$1\",\"name\":\"\([a-z0-9][A-Za-z0-9_.-]*\)\",\"bytes\":\([0-9]*\),\"sha256\":\"\([0-9a-f]*\)\"},\{0,1\}\$/\1 \2 \3/p" "$work/release.json"
}

choose_package() {
  kind= entry= architecture=
  if has apt-get && has dpkg && [ ! -d "$LIB" ]; then
    architecture=$(dpkg --print-architecture)
    entry=$(entry_of "deb-$architecture")
    if [ -n "$entry" ]; then kind=deb; return; fi
    [ -z "$(installed_deb)" ] || fail "this server has no Debian package for $architecture, of which one is installed here"
  fi
  kind=npm
  entry=$(entry_of npm)
  [ -n "$entry" ] || fail "this server has no package for this host${architecture:+ ($architecture)}"
  fitting_node || fail "this server has no package with its own Node.js for this host${architecture:+ ($architecture)}: \
install Node.js $oldest_node or newer for all users, or run \"npm run package\" on the server, then run this again"
}

# A Node.js that is new enough, and that the service will be able to run.
fitting_node() {
  has node || return 1
  node=$(node -p 'process.execPath') || return 1
  case $node in
    /root/* | /home/* | /Users/* | *[!A-Za-z0-9/._+-]*) return 1 ;;
  esac
  # Root is going to run it: no other user may be able to replace it, as Homebrew's owner can.
  [ "$(find "$node" "${node%/*}" -prune -user root 2>/dev/null | wc -l)" -eq 2 ] || return 1
  at_least "$(node -p 'process.versions.node')" "$oldest_node"
}

# at_least <version> <version>: whether the first is not the older one
at_least() {
  "$node" -e 'const [have, need] = process.argv.slice(1).map((text) => text.trim().split(".").map(Number));
    const i = have.findIndex((part, at) => part !== need[at]);
    process.exit(i === -1 || have[i] > need[i] ? 0 : 1)' "$1" "$2"
}

fetch_package() {
  # shellcheck disable=SC2086
  set -- $entry
  say "Fetching $1 ..."
  permit=${code:-$(proof "$1")}
  [ -n "$permit" ] || fail 'this host has no agent: a package needs --code, with a code of "lanreach agent enrol"'
  fetch "packages/$1" "$2" "$permit"
  package=$work/$1
  digest=$(openssl dgst -sha256 "$package" | sed 's/^.*= *//')
  [ "$digest" = "$3" ] || fail "$1 is not the package that was signed, so nothing was installed"
}

# proof <package>: what the agent of this host shows in the place of a code (shared/agent/proof.ts); nothing without one
proof() {
  [ -r "$STATE/identity.json" ] || return 0
  identity=$(sed -n 's/^  "agent": "\([a-z0-9:-]*\)",$/\1/p' "$STATE/identity.json")
  at=$(date +%s)000
  (umask 077 && printf '%b' "$(sed -n '/^  "current": {$/,/^  }/s/^    "key": "\(.*\)",$/\1/p' "$STATE/identity.json")" >"$work/identity.key")
  signed=$(printf 'LanReach: a package of the agent, 1\n%s\n%s\n%s' "$identity" "$at" "$1" |
    openssl dgst -sha256 -sign "$work/identity.key" 2>/dev/null | openssl base64 -A)
  rm -f "$work/identity.key"
  printf '%s %s %s' "$identity" "$at" "$signed"
}

# apt_install <package>...: asks the mirrors only for what is missing
apt_install() {
  set -- --yes -qq --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Options::=--force-confdef \
    -o Dpkg::Options::=--force-confold "$@"
  apt-get install "$@" </dev/null >"$work/apt" 2>&1 && return
  apt-get update -qq </dev/null >"$work/apt" 2>&1 || return 1
  apt-get install "$@" </dev/null >"$work/apt" 2>&1
}

# The last word of apt or of another program, for a sentence.
last_line() { tail -n 1 "$work/apt" 2>/dev/null || true; }

installed_deb() {
  dpkg-query --show --showformat='${db:Status-Abbrev}${Version}' lanreach-agent 2>/dev/null | sed -n 's/^i[a-zA-Z] *//p'
}

install_deb() {
  before=$(installed_deb)
  agent=lanreach-agent
  # What an earlier agent has left is not taken away with one that was installed in vain.
  undo=--purge
  if [ -e "$STATE" ] || dpkg-query --show lanreach-agent >/dev/null 2>&1; then undo=--remove; fi
  if [ -n "$before" ] && dpkg --compare-versions "$before" gt "$version"; then
    fail "version $before is installed, which is newer than $version of this server; it stays"
  fi
  say "Installing lanreach-agent $version ..."
  if ! apt_install --reinstall "$package"; then
    why=$(last_line)
    if [ -z "$before" ]; then remove; fi
    fail "apt-get cannot install it: $why"
  fi
}

install_npm() {
  before=
  agent=$BIN
  if [ -d "$LIB" ] || [ -e "$STATE" ]; then before=yes; fi
  here=$("$BIN" --version 2>/dev/null || echo 0.0.0)
  at_least "$version" "$here" || fail "version $here is installed, which is newer than $version of this server; it stays"
  missing=
  for program in nmap traceroute tcpdump arp-scan; do has "$program" || missing="$missing $program"; done
  if [ -n "$missing" ] && has apt-get; then
    say "Installing$missing ..."
    apt_install arp-scan iproute2 iputils-ping nmap tcpdump traceroute || fail "apt-get cannot install$missing: $(last_line)"
  elif [ -n "$missing" ]; then
    say "Not here, so what needs them will not work:$missing. Install them with what this system has for that."
  fi
  say "Installing lanreach-agent $version ..."
  rm -rf "$LIB.new"
  mkdir -p "$LIB.new" "${BIN%/*}"
  if ! tar -xzof "$package" -C "$LIB.new" --strip-components=1 ||
    ! sed "s|@NODE@|$node|" "$LIB.new/service/lanreach-agent.sh" >"$BIN.new"; then
    rm -rf "$LIB.new" "$BIN.new"
    fail 'it cannot be unpacked; nothing was installed'
  fi
  chmod 755 "$BIN.new"
  rm -rf "$LIB.old"
  if [ -d "$LIB" ]; then mv "$LIB" "$LIB.old"; fi
  mv "$LIB.new" "$LIB"
  mv "$BIN.new" "$BIN"
  rm -rf "$LIB.old"
  if ! install_service; then
    if [ -z "$before" ]; then remove; fi
    fail 'systemd takes no service: "systemctl status lanreach-agent" may say why'
  fi
}

install_service() {
  if has_systemd; then
    for unit in lanreach-agent.service lanreach-agent.path; do
      sed "s|/usr/bin/lanreach-agent|$BIN|; /^Documentation=/d" "$LIB/service/$unit" >"$UNITS/$unit" || return 1
    done
    systemctl daemon-reload &&
      systemctl --quiet enable lanreach-agent.path lanreach-agent.service &&
      systemctl start lanreach-agent.path &&
      systemctl restart lanreach-agent.service
  elif has_launchd; then
    cp "$LIB/service/lanreach-agent.plist" "$PLIST" || return 1
    launchctl kickstart -k system/lanreach-agent >/dev/null 2>&1 || true # It runs only if it was enrolled before.
  fi
}

has_systemd() { [ -d /run/systemd/system ]; }
has_launchd() { [ "$kind" = npm ] && has launchctl; }

stop_service() {
  if has_systemd; then
    systemctl stop lanreach-agent.service 2>/dev/null || true
  elif has_launchd; then
    launchctl bootout system/lanreach-agent 2>/dev/null || true
  fi
}

start_service() {
  if has_systemd; then systemctl start lanreach-agent.service; else launchctl bootstrap system "$PLIST"; fi
}

# Takes away what was installed just now.
remove() {
  if [ "$kind" = npm ]; then "$BIN" uninstall; else dpkg "$undo" lanreach-agent; fi >/dev/null 2>&1 || true
}

enrol() {
  if [ -z "$code" ]; then
    say "lanreach-agent $version is installed. If this host is not enrolled yet: $agent enrol <code> --url $url"
    return
  fi
  # An agent that runs holds its identity; this one may be enrolled already, and gets another.
  stop_service
  if ! "$agent" enrol "$code" --url "$url" ${name:+--name "$name"} </dev/null; then
    if [ -n "$before" ]; then
      if has_systemd || has_launchd; then start_service || true; fi
      fail "version $version is installed, and the agent stays enrolled as it was"
    fi
    remove
    fail 'this host was not enrolled, so the agent was removed again; ask for a new line'
  fi
  if ! has_systemd && ! has_launchd; then
    say "There is neither systemd nor launchd here: start it with \"$agent run\", and whenever this host starts."
    return
  fi
  start_service || fail "the service does not start: $agent doctor says why"
  say "lanreach-agent $version runs here."
}

main "$@"
