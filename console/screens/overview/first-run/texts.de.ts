import { numberText, plural } from '../../../text/format.ts';

export const german = {
  title: 'Erste Schritte',
  progress: (done: number, all: number) => `${numberText(done)} von ${numberText(all)} erledigt`,
  hide: 'Ausblenden',
  done: 'erledigt',
  open: 'offen',
  steps: {
    agent: 'Ein Agent ist online',
    watch: 'Dieses LAN beobachten',
    name: 'Drei Geräte benennen',
    told: 'Benachrichtigt werden',
    site: 'Zweiten Standort hinzufügen',
    token: 'Eigenes Token anlegen',
  },
  about: {
    agent: 'Der Agent findet Geräte und führt Ihre Werkzeuge aus.',
    watch: 'Die Geräte erscheinen hier von selbst.',
    name: (named: number) => `Namen machen Änderungen lesbar. Bisher benannt: ${numberText(named)}.`,
    told: 'Auf dem Telefon oder im Chat, wenn ein Gerät neu oder ausgefallen ist.',
    site: 'Ein weiteres LAN, von hier aus gesehen.',
    token: 'Das erste darf alles. Nehmen Sie eines, das weniger darf.',
  },
  addAgent: 'Agent hinzufügen',
  seeAgents: 'Warum?',
  turnOn: 'Einschalten',
  turnOnFor: (networks: readonly string[]) =>
    `Einschalten: ${networks.slice(0, 2).join(', ')}${networks.length > 2 ? ' …' : ''}`,
  hindered: 'Die Erkennung ist an, gelingt aber nicht:',
  settings: 'Einstellungen',
  nameThem: 'Geräte benennen',
  notify: 'Einrichten',
  addSite: 'Standort hinzufügen',
  makeToken: 'Token anlegen',
  looking: 'Geräte werden gesucht …',
  found: (count: number) => `${plural(count, 'Gerät', 'Geräte')} gefunden`,
  all: 'Alle Geräte',
};
