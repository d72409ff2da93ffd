/** The texts of adding an agent. */
import { plural } from '../../text/format.ts';

export const texts = {
  needsAdmin: 'This token cannot add agents: that needs the scope admin.',
  noSite: (id: string) => `There is no site “${id}” that this token may use.`,
  agentTitle: (site: string) => `Add an agent to ${site}`,
  agentIntro:
    'An agent is a small program on a host in the LAN. It connects to this service by itself, so no port has to be opened there.',
  agentName: 'Name of the agent',
  agentNameHint: 'For example, the name of its host. One agent is enough for a LAN.',
  replace: 'Replace the agent of this name. It is disconnected as soon as the new one enrols.',
  discover: 'Look for devices as soon as the agent is online',
  discoverHint: 'Discovery: the agent scans its LAN once a minute. The policy file on its host limits what it may do.',
  makeLine: 'Show the command for its host',
  agent: (name: string, site: string) => `Agent ${name} of ${site}`,
  install: 'Install the agent on a host in that LAN',
  debian: 'Debian, Ubuntu, Raspberry Pi OS (there: arm64)',
  debianLine: 'sudo apt install ./lanreach-agent_<version>_amd64.deb',
  npm: 'Any other Linux with Node.js 20.19 or newer',
  npmLine: 'npm install --global ./lanreach-agent-<version>.tgz',
  installHow: 'Run npm run package where LanReach was built to make these files. packaging/README.md says more.',
  run: 'Run this command there, as root',
  installAndRun: 'Run this on a host in that LAN, as root',
  way: 'How the agent gets there',
  ways: { linux: 'Debian, other Linux', container: 'Container', npm: 'npm', proxmox: 'Proxmox' },
  wayHints: {
    linux:
      'It checks the signature of the package, installs the agent, enrols the host and starts it; run again, it upgrades. Where curl is missing: apt-get install curl. Debian and Ubuntu need nothing else; other systems, and macOS, need Node.js 20.19 or newer.',
    container:
      'In the sources of LanReach, after npm run package. The network of the host is what the agent is there for; in one of its own it would see no devices. It is upgraded by building the image again.',
    npm: 'With Node.js 20.19 or newer, and nmap, traceroute, iproute2, arp-scan, tcpdump and ping of the system. npm does not check the signature, and the last command has to be run whenever the host starts: the first tab does both.',
    proxmox:
      'In a container (LXC) of Debian 12 or newer, in its console: 512 MB of memory are enough, and it may be unprivileged. Let its network be a bridge of that LAN, such as vmbr0, and keep “Nesting” on, which systemd needs. Where curl is missing: apt-get install curl.',
  },
  line: 'Command for the host',
  nextLine: (number: number) => `Command ${number} for the host`,
  works: 'The code works once, until',
  address: 'Address of the API, as that host reaches it',
  addressError: 'Enter the URL of the API, such as https://lanreach.example.com',
  loopback: (url: string) =>
    `${url} works on this host only. For another host, start the service with HOST=0.0.0.0 npm start and use an address of this host.`,
  expired: 'The code has expired without being used.',
  notKept:
    'The command is shown only once, and this page was reloaded since. If you have run it, the agent appears below. Otherwise, make a new one.',
  newLine: 'Make a new command',
  wait: 'Then it appears here',
  agentIs: 'The agent',
  mayNotSee: 'This token cannot see agents: that needs the scope nettools:run.',
  steps: {
    enrolled: 'The host is enrolled',
    enrolledWaiting: 'Waiting for the command to be run on the host …',
    online: 'The agent is online',
    onlineWaiting: 'Waiting for the agent to connect …',
    onlineHint:
      'The Debian package starts it automatically. After an installation with npm, run lanreach-agent there. lanreach-agent doctor says what is wrong.',
    devices: (count: number) => `${plural(count, 'device')} found`,
    devicesKnown: (count: number) => `${plural(count, 'device')} known`,
    devicesWaiting: 'Looking for devices …',
    looksAt: (networks: string) => `It watches ${networks}.`,
    devicesLater: 'Its devices appear once it starts looking for them.',
    discoveryOff: 'Discovery is off: the agent does not look for devices.',
  },
  states: { done: 'done', waiting: 'waiting', later: 'later', problem: 'problem' },
  switchOn: 'Look for devices now',
  firstDevices: 'The newest devices',
  noName: '(no name)',
  toDevices: 'See the devices',
  toSettings: 'Site settings',
};
