/** The request for the notification of an event, in the format of its receiver. */
import type { NamedDevice } from '../../shared/api/events.ts';
import type { HookEvent, HookFormat, HookMessage } from '../../shared/api/hook-events.ts';
import { UNKNOWN_NAMES } from '../../shared/device.ts';
import { isObserved, type ObservedType, observedPredicate, observedText } from '../../shared/event-text.ts';
import { legibleData, startOf } from '../../shared/text.ts';
import { signedHeaders } from './signature.ts';

export interface HookRequest {
  headers: Record<string, string>;
  body: string;
  /** Statuses by which this receiver says that a message has failed. */
  failures?: Readonly<Record<number, { reason: string; isFinal?: boolean }>>;
}

/** Those of HTTP. */
type RequestFormat = Exclude<HookFormat, 'email'>;

export interface Notification {
  webhookId: string;
  event: HookEvent;
  /** The receiver. */
  url: string;
  secret: string;
  at: Date;
  /** Address of the web console, if other hosts can open it. */
  console: string | null;
}

/** Of one sentence. Discord takes 2,000 characters, ntfy 4,096 bytes. */
const MAX_TEXT_CHARACTERS = 1_000;
/** Of a digest, as it is sent. */
const MAX_DIGEST_BYTES = 1_900;
const MAX_LINE_CHARACTERS = 200;

export function requestFor(format: RequestFormat, notification: Notification): HookRequest {
  // Names come from the LAN, and must not show a program what they hide from a person.
  const event = legibleData(notification.event);
  const link = notification.console === null ? null : linkTo(notification.console, event);
  const isUrgent = isUrgentType(event.type);
  return REQUESTS[format]({ ...notification, event, link, title: `LanReach: ${event.site}`, isUrgent });
}

type Content = Notification & { title: string; link: string | null; isUrgent: boolean };

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const json = (body: object): HookRequest => ({ headers: JSON_TYPE, body: JSON.stringify(body) });
export const asItIs = (text: string) => text;

const REQUESTS: Record<RequestFormat, (content: Content) => HookRequest> = {
  json({ webhookId, event, secret, at }) {
    const about = event.device === null ? (event.subject?.kind ?? 'device') : 'device';
    const type =
      event.type === 'test' || event.type === 'digest' || event.type === 'report'
        ? event.type
        : `${about}.${event.type}`;
    const body = JSON.stringify({ type, timestamp: event.at, data: event } satisfies HookMessage);
    return { headers: { ...JSON_TYPE, ...signedHeaders(secret, webhookId, at, body) }, body };
  },
  // https://api.slack.com/reference/surfaces/formatting#escaping: a device named "<!channel>" must not mention everybody.
  slack({ event }) {
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return json({ text: textFor(event, escaped) });
  },
  discord({ event }) {
    const content = textFor(event, (text) => text.replace(/[\\*_~`|>[\]()#-]/g, '\\$&'));
    return json({ content, allowed_mentions: { parse: [] } });
  },
  ntfy({ event, title, link, isUrgent }) {
    const headers = {
      ...{ 'content-type': 'text/plain; charset=utf-8', title },
      tags: isUrgent ? 'warning' : 'information_source',
      priority: isUrgent ? 'high' : 'default',
      ...(link === null ? {} : { click: link }),
    };
    return { headers, body: textFor(event, asItIs) };
  },
  // https://learn.microsoft.com/connectors/teams/: what the trigger "When a Teams webhook request is received" takes.
  teams({ event, title, link }) {
    const text = textFor(event, (one) => one.replace(/[\\*_`[\]]/g, '\\$&')).replaceAll('\n', '\n\n');
    const heading = { type: 'TextBlock', text: title, weight: 'Bolder', wrap: true };
    const actions = link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open', url: link }];
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      ...{ type: 'AdaptiveCard', version: '1.4', body: [heading, { type: 'TextBlock', text, wrap: true }], actions },
    };
    return json({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
    });
  },
  // https://core.telegram.org/bots/api#sendmessage
  telegram({ event, url, link, isUrgent }) {
    const chat = new URL(url).searchParams.get('chat_id') ?? '';
    const text = textFor(event, asItIs) + (link === null ? '' : `\n${link}`);
    return json({ chat_id: chat, text, link_preview_options: { is_disabled: true }, disable_notification: !isUrgent });
  },
  // https://gotify.net/docs/pushmsg
  gotify({ event, title, link, isUrgent }) {
    const extras = link === null ? {} : { 'client::notification': { click: { url: link } } };
    return json({ title, message: textFor(event, asItIs), priority: isUrgent ? 8 : 5, extras });
  },
  // https://pushover.net/api
  pushover({ event, url, title, link, isUrgent }) {
    const { searchParams } = new URL(url);
    const [token, user] = [searchParams.get('token') ?? '', searchParams.get('user') ?? ''];
    const message = startOf(textFor(event, asItIs), 1_024); // Its limit.
    const linked = link === null ? {} : { url: link, url_title: 'LanReach' };
    return json({ token, user, title, message, priority: isUrgent ? 1 : 0, ...linked });
  },
  // https://github.com/caronc/apprise-api
  apprise({ event, url, title, link, isUrgent }) {
    const tag = new URL(url).searchParams.get('tag');
    const body = textFor(event, asItIs) + (link === null ? '' : `\n${link}`);
    const type = isUrgent ? 'failure' : GOOD.includes(event.type) ? 'success' : 'info';
    const { headers, ...request } = json({ title, body, type, format: 'text', ...(tag === null ? {} : { tag }) });
    return { ...request, headers: { ...headers, accept: 'application/json' }, failures: APPRISE_FAILURES };
  },
};

const GOOD: readonly HookEvent['type'][] = [
  'online',
  'check-up',
  'agent-back',
  'site-back',
  'internet-back',
  'outage-over',
];

const APPRISE_FAILURES: NonNullable<HookRequest['failures']> = {
  204: { reason: 'Apprise answered 204: its key is not known, or has no services' },
  // Those of its services that work would get the message again and again.
  424: { reason: 'Apprise answered 424: one of its services failed, or none has the tag', isFinal: true },
};

/** The screen of the console that shows the event. */
export function linkTo(console: string, { site, type, device }: HookEvent): string {
  const isThere = device !== null && type !== 'deleted';
  const others = type === 'digest' ? 'changes' : 'events';
  const screen = isThere ? `devices/${encodeURIComponent(device.key)}` : others;
  return `${console}#/sites/${encodeURIComponent(site)}/${screen}`;
}

/** Predicates for one device, and for many. */
const VERBS: Record<Exclude<HookEvent['type'], ObservedType>, readonly [one: string, many: string]> = {
  new: ['is new', 'are new'],
  online: ['is online', 'are online'],
  offline: ['is offline', 'are offline'],
  down: ['is down', 'are down'],
  found: ['was found by the first look at the network', 'were found by the first look at the network'],
  'ip-changed': ['has another address', 'have another address'],
  conflict: ['claims what another device claims too', 'claim what others claim too'],
  renamed: ['was renamed', 'were renamed'],
  edited: ['was edited', 'were edited'],
  archived: ['was archived', 'were archived'],
  deleted: ['was deleted', 'were deleted'],
  restored: ['was restored', 'were restored'],
  imported: ['was imported', 'were imported'],
  flapping: [
    'comes and goes (flapping); it is not mentioned again until it has been quiet for an hour',
    'come and go (flapping); they are not mentioned again until they have been quiet for an hour',
  ],
  digest: ['is a digest', 'are digests'],
  report: ['is a report', 'are reports'],
  test: ['is a test', 'are tests'],
};

/** Predicates for several events of a type within a minute; the other types never have several. */
const OF_MANY: Partial<Record<ObservedType, readonly [one: string, many: string]>> = {
  'port-opened': ['device has opened ports', 'devices have opened ports'],
  'port-closed': ['device has closed ports', 'devices have closed ports'],
  'check-down': ['check fails', 'checks fail'],
  'check-up': ['check is well again', 'checks are well again'],
  'certificate-ending': ['certificate ends soon', 'certificates end soon'],
  'route-changed': ['site is reached by another way', 'sites are reached by other ways'],
  'agent-lost': ['agent is not connected any more', 'agents are not connected any more'],
  'agent-back': ['agent is connected again', 'agents are connected again'],
  'agent-update-failed': ['agent could not be updated', 'agents could not be updated'],
  'turn-missed': ['schedule was not run at its time', 'schedules were not run at their times'],
};

/** Events that people must see at once. */
const URGENT: readonly HookEvent['type'][] = ['down', 'site-dark', 'outage', 'internet-lost', 'check-down'];

export const isUrgentType = (type: HookEvent['type']): boolean => URGENT.includes(type);

/** Names that an event of many devices lists, so that the message stays short. */
const MAX_NAMES = 3;

export function textFor(event: HookEvent, escaped: (text: string) => string): string {
  const { digest } = event;
  return digest === undefined ? escaped(sentenceFor(event)) : digestText(event.site, digest, escaped);
}

/** A line for the summary, and one for each change, as far as they fit. */
function digestText(
  site: string,
  { summary, changes, more }: NonNullable<HookEvent['digest']>,
  escaped: (text: string) => string,
): string {
  const lines = [escaped(`${site}: ${summary}`)];
  for (const [i, { device, subject, sentences }] of changes.entries()) {
    const name = device === null ? (subject?.name ?? 'many devices') : labelOf(device);
    const text = `${oneLine(name)}: ${sentences.map((one) => one.text).join('; ')}`;
    const line = escaped(`• ${startOf(text, MAX_LINE_CHARACTERS)}${text.length > MAX_LINE_CHARACTERS ? '…' : ''}`);
    if (Buffer.byteLength([...lines, line].join('\n')) > MAX_DIGEST_BYTES)
      return [...lines, `… and ${changes.length - i + more} more`].join('\n');
    lines.push(line);
  }
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

/** The name of a device; empty for one without a name. */
const nameOf = ({ name }: NamedDevice) => (UNKNOWN_NAMES.includes(name) ? '' : oneLine(name));
const labelOf = (device: NamedDevice) => nameOf(device) || device.mac || 'one without a name';

/** One sentence for people. */
export function sentenceFor(event: HookEvent): string {
  const { site, subject, type } = event;
  // The site is the subject of what happens to it as a whole.
  const isOfSite = isObserved(type) && (subject?.kind === 'site' || subject?.kind === 'internet');
  const predicate = isOfSite ? ` ${oneLine(observedPredicate(type, event))}` : `: ${textOf(event)}`;
  const text = `${site}${predicate}.`;
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS - 1)}…`;
}

function textOf(event: HookEvent): string {
  const { type, device, changes, vendor = '', ip = '' } = event;
  if (type === 'test') return 'this is a test of LanReach';
  if (isObserved(type) && event.devices === undefined) return observed(type, event);
  if (device === null || isObserved(type)) return textOfMany(event);
  const made = oneLine(vendor);
  const who = whoOf(device, made);
  const [is] = VERBS[type];
  if (type === 'new') {
    const details = [ip, nameOf(device) === '' ? '' : made].filter(Boolean).join(', ');
    return `${who} ${is}${details === '' ? '' : `: ${details}`}`;
  }
  if (type === 'conflict') {
    const { from, to } = wordsOf(changes.devConflict);
    return to === '' ? `${who} has no conflict any more, before: ${from}` : `${who} has a conflict: ${to}`;
  }
  const change = { 'ip-changed': changes.devLastIP, renamed: changes.devName }[type as string];
  if (change === undefined) return `${who} ${is}`;
  const { from, to } = wordsOf(change);
  return `${who} ${is}: ${from} → ${to}`;
}

function observed(type: ObservedType, event: HookEvent): string {
  const { device, members = [], count = 0, detail } = event;
  const text = oneLine(observedText(type, event, device === null ? null : whoOf(device)));
  const names = namesOf(members, type === 'outage-over' ? Number(detail?.still ?? 0) : count);
  return names === '' ? text : `${text} (${names})`;
}

function whoOf(device: NamedDevice, madeBy = ''): string {
  const who = nameOf(device) || (madeBy === '' ? 'a device without a name' : `a device by ${madeBy}`);
  return device.mac === '' ? who : `${who} (${device.mac})`;
}

function textOfMany({ type, count = 0, deleted, devices = [] }: HookEvent): string {
  const [one, many] = isObserved(type) ? (OF_MANY[type] ?? [type, type]) : VERBS[deleted === count ? 'deleted' : type];
  const noun = isObserved(type) ? '' : count === 1 ? 'device ' : 'devices ';
  const names = namesOf(devices, count);
  const what = `${count} ${noun}${count === 1 ? one : many}`;
  return names === '' ? what : `${what}: ${names}`;
}

/** @param count of all, of which some are known by name */
function namesOf(some: readonly NamedDevice[], count: number): string {
  const names = some.slice(0, MAX_NAMES).map(labelOf);
  const others = names.length === 0 ? 0 : count - names.length;
  return [...names, ...(others > 0 ? [`${others} ${others === 1 ? 'other' : 'others'}`] : [])].join(', ');
}

function wordsOf(change: HookEvent['changes'][keyof HookEvent['changes']]): { from: string; to: string } {
  return { from: oneLine(String(change?.from ?? '')), to: oneLine(String(change?.to ?? '')) };
}

/** Names come from the LAN, and may have any characters. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
