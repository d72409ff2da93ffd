import { numberText, plural } from '../../text/format.ts';

export const german = {
  numbers: 'Der Standort in Zahlen',
  online: 'Online',
  of: (all: number) => ` / ${numberText(all)}`,
  unknown: (count: number) => `${numberText(count)} nicht überwacht`,
  new: 'Neu',
  newSince: (count: number, isMore: boolean) => `${numberText(count)}${isMore ? '+' : ''} seit gestern`,
  noneSince: 'keins seit gestern',
  down: 'Ausgefallen',
  noAlert: 'keins der überwachten',
  internet: 'Internet',
  perSecond: 'Mbit/s',
  speed: (down: string, up: string) => `${down} / ${up}`,
  ping: (ms: string) => `${ms} ms`,
  notMeasured: 'nicht gemessen',
  counting: 'viele Geräte ändern sich gerade',
  dayTitle: 'Geräte online',
  day: (least: number, most: number) =>
    least === most
      ? `Immer ${plural(most, 'Gerät', 'Geräte')} online`
      : `${numberText(least)} bis ${plural(most, 'Gerät', 'Geräte')} online`,
  dayUnknown: 'In dieser Zeit hat niemand nachgesehen.',
  dayOf: (summary: string, all: number) => `${summary}, von ${numberText(all)}.`,
  changed: 'Geändert seit gestern',
  agents: 'Agenten',
  noAgentWhy: 'Ein Agent auf einem Rechner dieses LANs findet die Geräte und führt Ihre Werkzeuge aus.',
  addAgent: 'Agent hinzufügen',
  agentStates: { online: 'online', draining: 'wird beendet', offline: 'offline', enrolling: 'noch nicht verbunden' },
  since: 'seit',
  version: (version: string) => `Version ${version}`,
  busy: (running: number, queued: number) =>
    queued === 0 ? `${numberText(running)} läuft` : `${numberText(running)} läuft, ${numberText(queued)} wartet`,
  runs: 'Letzte Ausführungen',
  noRuns: 'Hier wurde noch nichts ausgeführt.',
  openTools: 'Werkzeuge öffnen',
  allRuns: 'Alle Ausführungen',
  failing: 'Fehlgeschlagene Prüfungen',
};
