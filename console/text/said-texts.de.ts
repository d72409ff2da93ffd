/** The German sentences for codes: reasons, observations, and changes of a site. */
import type { SentencePart } from '../../shared/api/changes.ts';
import { addressChain, type ChangeTexts, editText, quoted } from '../../shared/change-text.ts';
import {
  isObserved,
  lengthText,
  macsOf,
  numberOf,
  type Observed,
  type ObservedTexts,
  portText,
  textOf,
} from '../../shared/event-text.ts';
import { type TextsOf, textOfCode, type ValuesOf } from '../../shared/reason-text.ts';
import type { Reason } from '../../shared/reasons.ts';
import { fieldName } from './device-fields.ts';
import { numberText, plural } from './format.ts';

const devices = (count: number) => plural(count, 'Gerät', 'Geräte');
const atPort =
  (text: string) =>
  ({ port }: { port?: number | undefined }) =>
    port === undefined ? text : `Port ${port}: ${text}`;

const reasons: TextsOf<Reason> = {
  'connection-refused': atPort('Verbindung abgelehnt'),
  'connection-reset': atPort('Verbindung zurückgesetzt'),
  'connection-closed': atPort('Verbindung geschlossen'),
  'connection-failed': ({ message, port }) => atPort(message)({ port }),
  'host-unreachable': atPort('Host nicht erreichbar'),
  'network-unreachable': atPort('Netz nicht erreichbar'),
  'no-answer': atPort('keine Antwort'),
  'no-answer-within': ({ seconds }) => `keine Antwort innerhalb von ${seconds} s`,
  'no-whole-answer-within': ({ seconds }) => `keine vollständige Antwort innerhalb von ${seconds} s`,
  'port-silent': ({ port, seconds }) => `Port ${port} antwortet nicht innerhalb von ${seconds} s`,
  'pings-unanswered': ({ sent, complaint, end }) =>
    [`keine Antwort auf ${sent} Pings`, complaint, end && `der Pfad endet bei ${end}`].filter(Boolean).join('; '),
  status: ({ status }) => `Antwort mit Status ${status}`,
  'other-protocol': 'Antwort mit einem anderen Protokoll',
  'text-missing': 'erwarteter Text fehlt in der Antwort',
  'dns-no-name': 'Name existiert nicht (NXDOMAIN)',
  'dns-no-record': 'kein Eintrag dieses Typs',
  'dns-failed': 'Fehler des Nameservers (SERVFAIL)',
  'dns-refused': 'Anfrage vom Nameserver abgelehnt (REFUSED)',
  'dns-silent': 'Nameserver antwortet nicht',
  'dns-unreachable': 'Nameserver nicht erreichbar',
  'dns-no-server': 'kein Nameserver auf dem Rechner des Agenten',
  'dns-error': ({ error }) => `Namensauflösung fehlgeschlagen (${error})`,
  'dns-other-answers': ({ expected, answers }) => `erwartet ${expected}, erhalten: ${answers}`,
  'no-address': ({ name }) => `${name} hat keine Adresse`,
  'look-up-silent': ({ name }) => `${name} nicht auflösbar: kein Nameserver antwortet`,
  'look-up-unknown': ({ name }) => `${name} nicht auflösbar: kein Nameserver kennt den Namen`,
  'agent-defect': 'Prüfung durch einen Fehler im Agenten fehlgeschlagen',
  'internet-behind-gateway': 'Gateway erreichbar, Internet dahinter nicht',
  'gateway-silent': 'Gateway nicht erreichbar',
  'provider-or-line': 'Gateway erreichbar: vermutlich Störung beim Anbieter oder auf der Leitung',
  'router-or-wire': 'Gateway nicht erreichbar: vermutlich Router oder Kabel',
  'agent-away': 'Agent nicht aktiv',
  'agent-busy': 'Agent mit anderen Befehlen ausgelastet',
  'still-running': 'vorige Ausführung lief noch',
  'gateway-gone': ({ device, behind }) => `Gateway ${device} ausgefallen, dahinter ${devices(behind)}`,
  'device-gone': ({ device, behind }) => `${device} ausgefallen, dahinter ${devices(behind)}`,
  'switch-or-cable': ({ gone, of, device }) =>
    `${gone} von ${of} Geräten hinter ${device} ausgefallen: vermutlich der Switch, seine Stromversorgung oder sein Kabel`,
  'power-or-wire': ({ gone, of }) =>
    `${gone} von ${of} aktiven Geräten ausgefallen: vermutlich Stromversorgung oder Kabel`,
  'gone-together': ({ gone, of, seconds }) =>
    `${gone} von ${of} Geräten wurden zuletzt ${seconds === 0 ? 'gleichzeitig' : `innerhalb von ${seconds} s`} gesehen`,
  'no-other-site-dark':
    'kein anderer Standort innerhalb von 3 Minuten ausgefallen: vermutlich Leitung, Stromversorgung oder Rechner des Agenten',
  'other-sites-dark': ({ sites, same, provider }) => {
    const others = `innerhalb von 3 Minuten auch ausgefallen: ${plural(sites, 'anderer Standort', 'andere Standorte')}`;
    return same === 0 ? others : `${others}, ${same === sites ? 'alle' : same} beim selben Anbieter, ${provider}`;
  },
  'two-hosts': ({ hosts }) =>
    `zwei Rechner verwenden diese Identität: ${hosts}; geben Sie einem davon einen eigenen Namen`,
};

function because(event: Observed, name: string): string {
  const why = (event.reasonCode && textOfCode(reasons, event.reasonCode)) ?? textOf(event, name);
  return why === '' ? '' : `: ${why}`;
}

const after = (event: Observed) => {
  const seconds = numberOf(event, 'seconds');
  return seconds === 0 ? '' : ` nach ${lengthText(seconds)}`;
};
const port = (event: Observed) => {
  const more = numberOf(event, 'more');
  return more > 0 ? plural(more, 'weiterer Port', 'weitere Ports') : `Port ${portText(event.detail, 'an')}`;
};
const days = (count: number) => (count <= 0 ? 'heute' : count === 1 ? 'morgen' : `in ${numberText(count)} Tagen`);
const times = (count: number) => (count <= 1 ? 'zum geplanten Zeitpunkt' : `zu ${numberText(count)} geplanten Zeiten`);

const observed: ObservedTexts = {
  agent: 'Agent',
  joined: (event) => `wurde mit ${macsOf(event, 'und', 'weiteren')} zusammengeführt`,
  split: (event) => `wurde von ${macsOf(event, 'und', 'weiteren')} getrennt`,
  'port-opened': (event) => `hat jetzt offen: ${port(event)}`,
  'port-closed': (event) => `hat nicht mehr offen: ${port(event)}`,
  'check-down': (event) => `antwortet nicht${because(event, 'reason')}`,
  'check-up': (event) => `antwortet wieder${after(event)}`,
  'certificate-ending': (event) => `hat ein Zertifikat, das ${days(numberOf(event, 'days'))} abläuft`,
  'route-changed': (event) => `hat eine neue Route: ${textOf(event, 'to')} (vorher ${textOf(event, 'from')})`,
  'agent-lost': (event) =>
    `ist ${event.detail?.why === undefined ? 'nicht mehr' : 'nur wechselnd'} verbunden${because(event, 'why')}`,
  'agent-back': (event) => `ist wieder verbunden${after(event)}`,
  'agent-update-failed': (event) =>
    `konnte nicht auf ${textOf(event, 'version')} aktualisiert werden, die Verteilung ist gestoppt${because(event, 'reason')}`,
  'site-dark': (event) => `hat keinen verbundenen Agenten mehr${because(event, 'why')}`,
  'site-back': (event) => `hat wieder einen verbundenen Agenten${after(event)}`,
  'internet-lost': (event) => `hat keine Internetverbindung mehr${because(event, 'why')}`,
  'internet-back': (event) => `hat wieder eine Internetverbindung${after(event)}${because(event, 'why')}`,
  'address-changed': (event) =>
    `hat die öffentliche Adresse ${textOf(event, 'to')} (vorher ${textOf(event, 'from') || 'unbekannt'})`,
  'speed-low': (event) =>
    `ist langsam: ${numberOf(event, 'downMbps')} Mbit/s (üblich ${numberOf(event, 'usualMbps')} Mbit/s)`,
  'speed-normal': (event) => `ist wieder so schnell wie üblich: ${numberOf(event, 'downMbps')} Mbit/s`,
  outage: (event) => `${devices(event.count ?? 0)} gleichzeitig ausgefallen${because(event, 'why')}`,
  'outage-over': (event) => {
    const still = numberOf(event, 'still');
    return `${devices(numberOf(event, 'back'))} wieder erreichbar${after(event)}${still === 0 ? '' : `; ${numberText(still)} noch ausgefallen`}`;
  },
  'turn-missed': (event) => `lief nicht ${times(numberOf(event, 'count'))}${because(event, 'why')}`,
};

const EDITED = { same: 'wie zuvor', yes: 'ja', no: 'nein', cleared: 'geleert' };
const DID = {
  ...{ new: 'erstmals gesehen', online: 'online', offline: 'offline', down: 'ausgefallen' },
  ...{ found: 'beim ersten Scan gefunden', 'ip-changed': 'mit anderer Adresse', conflict: 'mit Adresskonflikt' },
  ...{ renamed: 'umbenannt', edited: 'gemeinsam geändert', archived: 'archiviert', deleted: 'gelöscht' },
  ...{ restored: 'wiederhergestellt', imported: 'importiert' },
};
const often = (count: number) => (count === 1 ? '' : `, ${count}-mal`);
const listed = (items: readonly string[], more: number) => items.join(', ') + (more > 0 ? ` und ${more} weitere` : '');
const lasted =
  (was: string) =>
  ({ times, seconds }: { times: number; seconds: number }) =>
    times === 1 ? `${was} für ${lengthText(seconds)}` : `${times}-mal ${was}, insgesamt ${lengthText(seconds)}`;
const ports =
  (did: string, undone: string) =>
  ({ ports: details, more, end }: ValuesOf<SentencePart, 'ports-opened'>) => {
    const again = { kept: '', undone: ` und wieder ${undone}`, repeated: ', mehrmals' }[end];
    const names = details.map((one) => portText(one, 'an'));
    return `${names.length === 1 ? 'Port' : 'Ports'} ${listed(names, more)} ${did}${again}`;
  };

const changes: ChangeTexts = {
  parts: {
    happened: ({ type, times: count, again, ...event }) => {
      if (again) return `wieder ${type === 'down' ? 'ausgefallen' : 'offline'}${often(count)}`;
      return (isObserved(type) ? observed[type](event) : DID[type]) + often(count);
    },
    'was-offline': lasted('offline'),
    'was-silent': lasted('ohne Antwort'),
    'was-disconnected': lasted('getrennt'),
    'had-no-agent': lasted('ohne verbundenen Agenten'),
    'had-no-internet': lasted('ohne Internet'),
    'was-slow': lasted('langsam'),
    'were-gone': ({ devices: count, ...values }) => lasted(`${devices(count)} ausgefallen`)(values),
    'ports-opened': ports('geöffnet', 'geschlossen'),
    'ports-closed': ports('geschlossen', 'geöffnet'),
    address: ({ chain }) => `Adresse ${addressChain(chain, 'keine')}`,
    'public-address': ({ chain }) => `öffentliche Adresse ${addressChain(chain, 'keine')}`,
    named: ({ name }) => `benannt: ${quoted(name)}`,
    renamed: ({ chain }) => `umbenannt: ${chain.map((name) => (name === '' ? 'kein Name' : quoted(name))).join(' → ')}`,
    'conflict-over': 'kein Konflikt mehr',
    conflict: ({ text }) => `Konflikt: ${text}`,
    edited: ({ fields, more }) => {
      const edits = fields.map((one) => `${fieldName(one.field)} ${editText(one, EDITED)}`);
      return `bearbeitet: ${edits.length === 0 ? 'andere Spalten' : listed(edits, more)}`;
    },
    many: ({ type, count, deleted, changes: parts }) => {
      const did = isObserved(type) ? type : DID[type];
      const some = deleted > 0 ? `, ${devices(deleted)} gelöscht` : '';
      return `${devices(count)} ${did}${some}${parts === 1 ? '' : `, in ${parts} Änderungen`}`;
    },
  },
  counted: {
    new: ['neues Gerät', 'neue Geräte'],
    found: ['Gerät gefunden', 'Geräte gefunden'],
    imported: ['Gerät importiert', 'Geräte importiert'],
    deleted: ['Gerät gelöscht', 'Geräte gelöscht'],
    outage: ['Ausfall', 'Ausfälle'],
    'site-dark': ['Ausfall der Agentverbindung', 'Ausfälle der Agentverbindung'],
    'internet-lost': ['Internetausfall', 'Internetausfälle'],
    'agent-lost': ['Agent getrennt', 'Agenten getrennt'],
    'agent-update-failed': ['Agent-Update fehlgeschlagen', 'Agent-Updates fehlgeschlagen'],
    'check-down': ['Prüfung fehlgeschlagen', 'Prüfungen fehlgeschlagen'],
    'turn-missed': ['geplante Ausführung verpasst', 'geplante Ausführungen verpasst'],
    'speed-low': ['Phase mit langsamem Internet', 'Phasen mit langsamem Internet'],
    'certificate-ending': ['Zertifikat läuft bald ab', 'Zertifikate laufen bald ab'],
    'address-changed': ['neue öffentliche Adresse', 'neue öffentliche Adressen'],
    'route-changed': ['geänderte Route', 'geänderte Routen'],
    'port-opened': ['Port geöffnet', 'Ports geöffnet'],
    'port-closed': ['Port geschlossen', 'Ports geschlossen'],
    joined: ['Gerät zusammengeführt', 'Geräte zusammengeführt'],
    split: ['Gerät getrennt', 'Geräte getrennt'],
    changed: ['Gerät geändert', 'Geräte geändert'],
    'came-or-went': ['Gerät mit Statuswechsel', 'Geräte mit Statuswechsel'],
    other: ['anderes Ereignis', 'andere Ereignisse'],
  },
  number: numberText,
  lasting: (length, _isOne) => ` von ${length}`,
  nothing: 'Keine Änderungen',
};

export const german = { reasons, observed, changes };
