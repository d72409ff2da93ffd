/** What was observed without changing a device, in the language of the page; see `shared/event-text.ts`. */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { lengthText, type ObservedType, observedText } from '../../../shared/event-text.ts';
import { reasonText } from '../../checks/reason-texts.ts';
import { numberText, plural } from '../../text/format.ts';
import { spoken } from '../../text/language.ts';

type Observed = Pick<DeviceEvent, 'subject' | 'detail' | 'count'>;

/** @param name of the device, where there is one; empty where it stands in front of the sentence */
export function observedSentence(type: ObservedType, event: Observed, name: string | null): string {
  return spoken === 'de' ? germanText(type, event, name) : observedText(type, event, name);
}

const number = ({ detail }: Observed, name: string) => {
  const value = detail?.[name];
  return typeof value === 'number' ? value : 0;
};
const text = ({ detail }: Observed, name: string) => String(detail?.[name] ?? '');
const because = (event: Observed, name: string) =>
  text(event, name) === '' ? '' : `: ${reasonText(text(event, name))}`;
const after = (event: Observed) =>
  number(event, 'seconds') === 0 ? '' : ` nach ${lengthText(number(event, 'seconds'))}`;
const devices = (count = 0) => plural(count, 'Gerät', 'Geräte');
const MAX_MACS = 3;

function port(event: Observed): string {
  const more = number(event, 'more');
  if (more > 0) return plural(more, 'weiterer Port', 'weitere Ports');
  const service = text(event, 'service');
  const address = text(event, 'address');
  const at = address === '' ? '' : ` an ${address}`;
  return `Port ${text(event, 'port')}/${text(event, 'protocol') || 'tcp'}${service === '' ? '' : ` (${service})`}${at}`;
}

function macs(event: Observed): string {
  const said = text(event, 'macs').split(',').slice(0, MAX_MACS);
  const more = (event.count ?? said.length) - said.length;
  return said.join(', ') + (more > 0 ? ` und ${numberText(more)} weiteren` : '');
}

function days(event: Observed): string {
  const count = number(event, 'days');
  if (count <= 0) return 'heute';
  return count === 1 ? 'morgen' : `in ${numberText(count)} Tagen`;
}

const PREDICATES: Record<ObservedType, (event: Observed) => string> = {
  joined: (event) => `wurde mit ${macs(event)} verbunden`,
  split: (event) => `ist nicht mehr mit ${macs(event)} verbunden`,
  'port-opened': (event) => `hat geöffnet: ${port(event)}`,
  'port-closed': (event) => `hat geschlossen: ${port(event)}`,
  'check-down': (event) => `antwortet nicht${because(event, 'reason')}`,
  'check-up': (event) => `antwortet wieder${after(event)}`,
  'certificate-ending': (event) => `hat ein Zertifikat, das ${days(event)} abläuft`,
  'route-changed': (event) => `wird anders erreicht: ${text(event, 'to')}; vorher: ${text(event, 'from')}`,
  'agent-lost': (event) =>
    event.detail?.why === undefined
      ? 'ist nicht mehr verbunden'
      : `ist nur abwechselnd verbunden${because(event, 'why')}`,
  'agent-back': (event) => `ist wieder verbunden${after(event)}`,
  'agent-update-failed': (event) =>
    `wurde nicht auf ${text(event, 'version')} aktualisiert, und kein weiterer Agent wird es${because(event, 'reason')}`,
  'site-dark': (event) => `hat keinen verbundenen Agenten mehr${because(event, 'why')}`,
  'site-back': (event) => `hat wieder einen Agenten${after(event)}`,
  'internet-lost': (event) => `hat kein Internet mehr${because(event, 'why')}`,
  'internet-back': (event) => `hat wieder Internet${after(event)}${because(event, 'why')}`,
  'address-changed': (event) =>
    `hat die öffentliche Adresse ${text(event, 'to')}, vorher ${text(event, 'from') || 'unbekannt'}`,
  'speed-low': (event) =>
    `ist langsam: ${number(event, 'downMbps')} Mbit/s, üblich sind ${number(event, 'usualMbps')} Mbit/s`,
  'speed-normal': (event) => `ist wieder so schnell wie üblich: ${number(event, 'downMbps')} Mbit/s`,
  outage: (event) => `${devices(event.count)} auf einmal weg${because(event, 'why')}`,
  'outage-over': (event) => {
    const still = number(event, 'still');
    return `${devices(number(event, 'back'))} wieder da${after(event)}${still === 0 ? '' : `; ${numberText(still)} noch weg`}`;
  },
  'turn-missed': (event) => {
    const count = number(event, 'count');
    return `lief nicht${count <= 1 ? ' zu seiner Zeit' : ` zu ${numberText(count)} seiner Zeiten`}${because(event, 'why')}`;
  },
};

function germanText(type: ObservedType, event: Observed, name: string | null): string {
  const said = PREDICATES[type](event);
  if (type === 'outage' || type === 'outage-over') return said;
  const { subject } = event;
  const of = name ?? (subject === undefined ? '' : subject.kind === 'agent' ? `Agent ${subject.name}` : subject.name);
  return of === '' ? said : `${of} ${said}`;
}
