import { numberText, plural } from './format.ts';

export const common = {
  product: 'LanReach',
  cancel: 'Abbrechen',
  cannotCopy: 'Der Browser lässt diese Seite nicht kopieren. Markieren Sie den Text, und kopieren Sie ihn selbst.',
  close: 'Schließen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  selected: 'Markiert: Strg+C drücken',
  delete: 'Löschen',
  edit: 'Bearbeiten',
  loading: 'Lädt …',
  messages: 'Meldungen',
  more: 'Mehr anzeigen',
  never: 'nie',
  none: 'keine',
  requestId: 'Anfrage',
  save: 'Speichern',
  tryAgain: 'Erneut versuchen',
  undo: 'Rückgängig',
  paused: 'Zu viele Anfragen mit diesem Token. Es geht gleich von selbst weiter.',
  unreachable: 'Die API ist nicht erreichbar. Was Sie sehen, kann alt sein; der nächste Versuch folgt von selbst.',
  withKey: (label: string, key: string) => `${label} (${key})`,
  withRequestId: (message: string, id: string) => `${message} (Anfrage ${id})`,
  devices: (count: number) => plural(count, 'Gerät', 'Geräte'),
  andMore: (count: number) => `und ${numberText(count)} weitere`,
  addresses: 'Adressen dieses Dienstes',
  addressesHint: 'Wählen Sie eine, die der andere Rechner erreicht.',
  toSites: 'Zu den Standorten',
  toastAction: (label: string) => `${label}, wie die neueste Meldung anbietet`,
};

export const statusTexts = {
  online: 'online',
  offline: 'offline',
  down: 'ausgefallen',
  archived: 'archiviert',
};

export const watchTexts = {
  notMonitored: 'nicht überwacht',
  since: 'seit',
  lastKnown: (status: string) => `zuletzt bekannt: ${status}`,
  now: 'jetzt',
  unknownTab: 'Nicht überwacht',
  unknownHint: 'Kein Agent überwacht diese Geräte: Bekannt ist nur ihr letzter Status.',
  countsAsOffline:
    'Ein Gerät, das nicht mehr antwortet, gilt nach drei Blicken und fünf Minuten als offline; eines mit selbst gewählter MAC-Adresse, wie ein Telefon, nach 15 Minuten.',
};

export const actorTexts = {
  you: 'Sie',
  agent: (name: string) => `Agent ${name}`,
  agentOf: (name: string, site: string) => `Agent ${name} von ${site}`,
  token: (id: string) => `Token ${id}`,
  schedule: (name: string) => `Zeitplan ${name}`,
  enrolment: 'ein Anmeldecode',
  deployment: 'die Installation',
  service: 'der Dienst',
};
