/** The texts of adding an agent. */
import { plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const texts = inLanguage(
  {
    needsAdmin: 'This token cannot add agents: that needs the scope admin.',
    noSite: (id: string) => `There is no site “${id}” that this token may use.`,
    agentTitle: (site: string) => `Add an agent to ${site}`,
    againTitle: (site: string) => `Enrol an agent of ${site} again`,
    agentIntro: 'A small program on a host of the LAN. It connects by itself, so no port has to be opened.',
    agentName: 'Name of the agent',
    agentNameHint: 'Such as the name of its host. One agent is enough for a LAN.',
    replace: 'Replace the agent of this name. It is disconnected as soon as the new one enrols.',
    discover: 'Watch this LAN as soon as the agent is online',
    discoverHint: 'The agent scans once a minute. The policy file on its host limits what it may do.',
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
        'It checks the signature, installs the agent, enrols the host and starts it. Run again, it upgrades. Without curl: apt-get install curl. Systems other than Debian and Ubuntu need Node.js 20.19 or newer.',
      container:
        'In the sources of LanReach, after npm run package. It needs the network of the host, or it sees no devices. Build the image again to upgrade.',
      npm: 'With Node.js 20.19 or newer, and nmap, traceroute, iproute2, arp-scan, tcpdump and ping. npm checks no signature. Run the last command at each start of the host; the first tab does both.',
      proxmox:
        'In the console of a container (LXC) of Debian 12 or newer: 512 MB are enough, unprivileged will do. Use a bridge of that LAN, such as vmbr0. Keep “Nesting” on, which systemd needs. Without curl: apt-get install curl.',
    },
    line: 'Command for the host',
    nextLine: (number: number) => `Command ${number} for the host`,
    works: 'The code works once, until',
    address: 'Address of the API, as that host reaches it',
    addressError: 'Enter the URL of the API, such as https://lanreach.example.com',
    loopback: (url: string) =>
      `${url} works on this host only. For another host, start the service with HOST=0.0.0.0 npm start and use an address of this host.`,
    expired: 'The code has expired without being used.',
    notKept: 'The command is shown only once, and this page was reloaded. If you have run it, the agent appears below.',
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
        'The first way starts it by itself; after npm, run lanreach-agent run. lanreach-agent doctor says what is wrong.',
      devices: (count: number) => `${plural(count, 'device')} found`,
      devicesKnown: (count: number) => `${plural(count, 'device')} known`,
      devicesWaiting: 'Scanning for devices …',
      looksAt: (networks: string) => `It watches ${networks}.`,
      devicesLater: 'Its devices appear once it scans.',
      discoveryOff: 'The agent is not to scan yet.',
    },
    states: { done: 'done', waiting: 'waiting', later: 'later', problem: 'problem' },
    switchOn: 'Watch this LAN',
    firstDevices: 'The newest devices',
    toDevices: 'See the devices',
    toSettings: 'Site settings',
    toAgent: 'The agent',
  },
  german,
);
