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
  'connection-refused': atPort('die Verbindung wurde abgelehnt'),
  'connection-reset': atPort('die Verbindung wurde abgebrochen'),
  'connection-closed': atPort('die Verbindung wurde geschlossen'),
  'connection-failed': ({ message, port }) => atPort(message)({ port }),
  'host-unreachable': atPort('der Host ist nicht erreichbar'),
  'network-unreachable': atPort('das Netz ist nicht erreichbar'),
  'no-answer': atPort('keine Antwort'),
  'no-answer-within': ({ seconds }) => `keine Antwort innerhalb von ${seconds} s`,
  'no-whole-answer-within': ({ seconds }) => `keine vollständige Antwort innerhalb von ${seconds} s`,
  'port-silent': ({ port, seconds }) => `Port ${port} antwortet nicht innerhalb von ${seconds} s`,
  'pings-unanswered': ({ sent, complaint, end }) =>
    [`keine Antwort auf ${sent} Pings`, complaint, end && `der Weg endet bei ${end}`].filter(Boolean).join('; '),
  status: ({ status }) => `antwortet mit Status ${status}`,
  'other-protocol': 'antwortet mit einem anderen Protokoll',
  'text-missing': 'die Antwort enthält den Text nicht',
  'dns-no-name': 'den Namen gibt es nicht (NXDOMAIN)',
  'dns-no-record': 'der Name hat keinen Eintrag dieser Art',
  'dns-failed': 'Fehler des Nameservers (SERVFAIL)',
  'dns-refused': 'der Nameserver verweigert die Antwort (REFUSED)',
  'dns-silent': 'der Nameserver antwortet nicht',
  'dns-unreachable': 'der Nameserver ist nicht erreichbar',
  'dns-no-server': 'der Host des Agents hat keinen Nameserver',
  'dns-error': ({ error }) => `die Namensauflösung schlug fehl (${error})`,
  'dns-other-answers': ({ expected, answers }) => `keine der Antworten ist ${expected}: ${answers}`,
  'no-address': ({ name }) => `${name} hat keine Adresse`,
  'look-up-silent': ({ name }) => `${name} nicht auflösbar: kein Nameserver antwortet`,
  'look-up-unknown': ({ name }) => `${name} nicht auflösbar: kein Nameserver kennt den Namen`,
  'agent-defect': 'die Prüfung scheiterte an einem Fehler im Agent',
  'internet-behind-gateway': 'das Gateway antwortet, das Internet dahinter nicht',
  'gateway-silent': 'das Gateway antwortet nicht',
  'provider-or-line': 'das Gateway antwortet: der Anbieter oder die Leitung zu ihm',
  'router-or-wire': 'das Gateway antwortet nicht: der Router oder das Kabel zu ihm',
  'agent-away': 'der Agent lief nicht',
  'agent-busy': 'der Agent war mit anderen Befehlen beschäftigt',
  'still-running': 'die vorige Ausführung war noch nicht beendet',
  'gateway-gone': ({ device, behind }) => `das Gateway ${device} ist weg, dahinter ${devices(behind)}`,
  'device-gone': ({ device, behind }) => `${device} ist weg, dahinter ${devices(behind)}`,
  'switch-or-cable': ({ gone, of, device }) =>
    `${gone} von ${of} Geräten hinter ${device} sind weg: der Switch, sein Strom oder sein Kabel`,
  'power-or-wire': ({ gone, of }) =>
    `${gone} der ${of} Geräte, die da waren, sind weg: der Strom oder das Kabel zu ihnen`,
  'gone-together': ({ gone, of, seconds }) =>
    `${gone} von ${of} Geräten wurden zuletzt ${seconds === 0 ? 'gleichzeitig' : `innerhalb von ${seconds} s`} gesehen`,
  'no-other-site-dark':
    'kein anderer Standort fiel innerhalb von 3 Minuten aus: also Leitung, Strom oder der Host des Agents',
  'other-sites-dark': ({ sites, same, provider }) => {
    const others = `innerhalb von 3 Minuten auch ausgefallen: ${plural(sites, 'anderer Standort', 'andere Standorte')}`;
    return same === 0 ? others : `${others}, ${same === sites ? 'alle' : same} beim selben Anbieter, ${provider}`;
  },
  'two-hosts': ({ hosts }) => `zwei Hosts verwenden diese Identität: ${hosts}; einer braucht einen eigenen Namen`,
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
const times = (count: number) => (count <= 1 ? 'zu seiner Zeit' : `zu ${numberText(count)} seiner Zeiten`);

const observed: ObservedTexts = {
  agent: 'Agent',
  joined: (event) => `wurde mit ${macsOf(event, 'und', 'weiteren')} verbunden`,
  split: (event) => `ist nicht mehr mit ${macsOf(event, 'und', 'weiteren')} verbunden`,
  'port-opened': (event) => `hat geöffnet: ${port(event)}`,
  'port-closed': (event) => `hat geschlossen: ${port(event)}`,
  'check-down': (event) => `antwortet nicht${because(event, 'reason')}`,
  'check-up': (event) => `antwortet wieder${after(event)}`,
  'certificate-ending': (event) => `hat ein Zertifikat, das ${days(numberOf(event, 'days'))} abläuft`,
  'route-changed': (event) => `wird anders erreicht: ${textOf(event, 'to')}; vorher: ${textOf(event, 'from')}`,
  'agent-lost': (event) =>
    `ist ${event.detail?.why === undefined ? 'nicht mehr' : 'nur abwechselnd'} verbunden${because(event, 'why')}`,
  'agent-back': (event) => `ist wieder verbunden${after(event)}`,
  'agent-update-failed': (event) =>
    `wurde nicht auf ${textOf(event, 'version')} aktualisiert, und kein weiterer Agent wird es${because(event, 'reason')}`,
  'site-dark': (event) => `hat keinen verbundenen Agenten mehr${because(event, 'why')}`,
  'site-back': (event) => `hat wieder einen Agenten${after(event)}`,
  'internet-lost': (event) => `hat kein Internet mehr${because(event, 'why')}`,
  'internet-back': (event) => `hat wieder Internet${after(event)}${because(event, 'why')}`,
  'address-changed': (event) =>
    `hat die öffentliche Adresse ${textOf(event, 'to')}, vorher ${textOf(event, 'from') || 'unbekannt'}`,
  'speed-low': (event) =>
    `ist langsam: ${numberOf(event, 'downMbps')} Mbit/s, üblich sind ${numberOf(event, 'usualMbps')} Mbit/s`,
  'speed-normal': (event) => `ist wieder so schnell wie üblich: ${numberOf(event, 'downMbps')} Mbit/s`,
  outage: (event) => `${devices(event.count ?? 0)} auf einmal weg${because(event, 'why')}`,
  'outage-over': (event) => {
    const still = numberOf(event, 'still');
    return `${devices(numberOf(event, 'back'))} wieder da${after(event)}${still === 0 ? '' : `; ${numberText(still)} noch weg`}`;
  },
  'turn-missed': (event) => `lief nicht ${times(numberOf(event, 'count'))}${because(event, 'why')}`,
};

const EDITED = { same: 'wie zuvor', yes: 'ja', no: 'nein', cleared: 'geleert' };
const DID = {
  ...{ new: 'erstmals gesehen', online: 'online gekommen', offline: 'offline gegangen', down: 'ausgefallen' },
  ...{ found: 'beim ersten Scan gefunden', 'ip-changed': 'mit anderer Adresse', conflict: 'im Konflikt' },
  ...{ renamed: 'umbenannt', edited: 'auf einmal geändert', archived: 'archiviert', deleted: 'gelöscht' },
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
    'was-silent': lasted('keine Antwort'),
    'was-disconnected': lasted('nicht verbunden'),
    'had-no-agent': lasted('kein Agent verbunden'),
    'had-no-internet': lasted('kein Internet'),
    'was-slow': lasted('langsam'),
    'were-gone': ({ devices: count, ...values }) => lasted(`${devices(count)} weg`)(values),
    'ports-opened': ports('geöffnet', 'geschlossen'),
    'ports-closed': ports('geschlossen', 'geöffnet'),
    address: ({ chain }) => `Adresse ${addressChain(chain, 'keine')}`,
    'public-address': ({ chain }) => `öffentliche Adresse ${addressChain(chain, 'keine')}`,
    named: ({ name }) => `heißt jetzt ${quoted(name)}`,
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
    'site-dark': ['Zeit ohne Agent', 'Zeiten ohne Agent'],
    'internet-lost': ['Zeit ohne Internet', 'Zeiten ohne Internet'],
    'agent-lost': ['Agent getrennt', 'Agenten getrennt'],
    'agent-update-failed': ['Agent-Update fehlgeschlagen', 'Agent-Updates fehlgeschlagen'],
    'check-down': ['Prüfung fehlgeschlagen', 'Prüfungen fehlgeschlagen'],
    'turn-missed': ['Lauf eines Zeitplans ausgefallen', 'Läufe von Zeitplänen ausgefallen'],
    'speed-low': ['langsame Zeit', 'langsame Zeiten'],
    'certificate-ending': ['Zertifikat läuft bald ab', 'Zertifikate laufen bald ab'],
    'address-changed': ['neue öffentliche Adresse', 'neue öffentliche Adressen'],
    'route-changed': ['geänderter Weg', 'geänderte Wege'],
    'port-opened': ['Port geöffnet', 'Ports geöffnet'],
    'port-closed': ['Port geschlossen', 'Ports geschlossen'],
    joined: ['Gerät mit anderen MACs verbunden', 'Geräte mit anderen MACs verbunden'],
    split: ['Gerät getrennt', 'Geräte getrennt'],
    changed: ['Gerät geändert', 'Geräte geändert'],
    'came-or-went': ['Gerät gekommen oder gegangen', 'Geräte gekommen oder gegangen'],
    other: ['anderes Ereignis', 'andere Ereignisse'],
  },
  number: numberText,
  lasting: (length, _isOne) => ` von ${length}`,
  nothing: 'Nichts hat sich geändert',
};

export const german = { reasons, observed, changes };
