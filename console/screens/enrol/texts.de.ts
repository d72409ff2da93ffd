import { plural } from '../../text/format.ts';

export const german = {
  needsAdmin: 'Dieses Token kann keine Agenten hinzufügen: Dazu braucht es den Scope admin.',
  noSite: (id: string) => `Es gibt keinen Standort „${id}“, den dieses Token benutzen darf.`,
  agentTitle: (site: string) => `Agent für ${site} hinzufügen`,
  againTitle: (site: string) => `Einen Agenten von ${site} neu anmelden`,
  agentIntro:
    'Ein kleines Programm auf einem Rechner des LANs. Es verbindet sich selbst, es muss also kein Port geöffnet werden.',
  agentName: 'Name des Agenten',
  agentNameHint: 'Etwa der Name seines Rechners. Für ein LAN genügt ein Agent.',
  replace: 'Den Agenten dieses Namens ersetzen. Er wird getrennt, sobald sich der neue anmeldet.',
  discover: 'Dieses LAN beobachten, sobald der Agent online ist',
  discoverHint: 'Der Agent scannt einmal je Minute. Die Richtlinie auf seinem Rechner begrenzt, was er darf.',
  makeLine: 'Befehl für seinen Rechner zeigen',
  agent: (name: string, site: string) => `Agent ${name} von ${site}`,
  install: 'Den Agenten auf einem Rechner dieses LANs installieren',
  debian: 'Debian, Ubuntu, Raspberry Pi OS (dort: arm64)',
  debianLine: 'sudo apt install ./lanreach-agent_<version>_amd64.deb',
  npm: 'Jedes andere Linux mit Node.js 20.19 oder neuer',
  npmLine: 'npm install --global ./lanreach-agent-<version>.tgz',
  installHow:
    'Diese Dateien entstehen mit npm run package, wo LanReach gebaut wurde. Mehr steht in packaging/README.md.',
  run: 'Dort als root diesen Befehl ausführen',
  installAndRun: 'Auf einem Rechner dieses LANs als root ausführen',
  way: 'Wie der Agent dorthin kommt',
  ways: { linux: 'Debian, anderes Linux', container: 'Container', npm: 'npm', proxmox: 'Proxmox' },
  wayHints: {
    linux:
      'Es prüft die Signatur, installiert den Agenten, meldet den Rechner an und startet ihn. Noch einmal ausgeführt, aktualisiert es. Ohne curl: apt-get install curl. Andere Systeme als Debian und Ubuntu brauchen Node.js 20.19 oder neuer.',
    container:
      'In den Quellen von LanReach, nach npm run package. Er braucht das Netz des Rechners, sonst sieht er keine Geräte. Zum Aktualisieren das Image neu bauen.',
    npm: 'Mit Node.js 20.19 oder neuer sowie nmap, traceroute, iproute2, arp-scan, tcpdump und ping. npm prüft keine Signatur. Der letzte Befehl muss bei jedem Start des Rechners laufen; der erste Weg erledigt beides.',
    proxmox:
      'In der Konsole eines Containers (LXC) mit Debian 12 oder neuer: 512 MB genügen, auch unprivilegiert. Als Netz eine Bridge dieses LANs, etwa vmbr0. „Nesting“ bleibt an, systemd braucht es. Ohne curl: apt-get install curl.',
  },
  line: 'Befehl für den Rechner',
  nextLine: (number: number) => `Befehl ${number} für den Rechner`,
  works: 'Der Code gilt einmal, bis',
  address: 'Adresse der API, wie dieser Rechner sie erreicht',
  addressError: 'Geben Sie die URL der API ein, etwa https://lanreach.example.com',
  loopback: (url: string) =>
    `${url} gilt nur auf diesem Rechner. Für einen anderen starten Sie den Dienst mit HOST=0.0.0.0 npm start und nehmen eine Adresse dieses Rechners.`,
  expired: 'Der Code ist abgelaufen, ohne benutzt zu werden.',
  notKept:
    'Der Befehl wird nur einmal gezeigt, und diese Seite wurde neu geladen. Haben Sie ihn ausgeführt, erscheint der Agent unten.',
  newLine: 'Neuen Befehl erstellen',
  wait: 'Dann erscheint er hier',
  agentIs: 'Der Agent',
  mayNotSee: 'Dieses Token darf keine Agenten sehen: Dazu braucht es den Scope nettools:run.',
  steps: {
    enrolled: 'Der Rechner ist angemeldet',
    enrolledWaiting: 'Wartet, bis der Befehl auf dem Rechner läuft …',
    online: 'Der Agent ist online',
    onlineWaiting: 'Wartet, bis sich der Agent verbindet …',
    onlineHint:
      'Der erste Weg startet ihn von selbst; nach npm: lanreach-agent run. lanreach-agent doctor sagt, was nicht stimmt.',
    devices: (count: number) => `${plural(count, 'Gerät', 'Geräte')} gefunden`,
    devicesKnown: (count: number) => `${plural(count, 'Gerät', 'Geräte')} bekannt`,
    devicesWaiting: 'Scannt nach Geräten …',
    looksAt: (networks: string) => `Er beobachtet ${networks}.`,
    devicesLater: 'Seine Geräte erscheinen, sobald er scannt.',
    discoveryOff: 'Der Agent soll noch nicht scannen.',
  },
  states: { done: 'erledigt', waiting: 'wartet', later: 'später', problem: 'Problem' },
  switchOn: 'Dieses LAN beobachten',
  firstDevices: 'Die neuesten Geräte',
  toDevices: 'Zu den Geräten',
  toSettings: 'Einstellungen des Standorts',
  toAgent: 'Der Agent',
};
