/** The request that tells of an event, in the form that its receiver understands. */
import type { HookEvent, HookFormat, HookMessage } from '../../shared/api/hooks.ts';
import { signedHeaders } from './signature.ts';

export interface HookRequest {
  headers: Record<string, string>;
  body: string;
}

interface Told {
  webhookId: string;
  event: HookEvent;
  secret: string;
  at: Date;
}

/** Discord takes 2,000 characters, ntfy 4,096 bytes. */
const MAX_TEXT_CHARACTERS = 1_000;

export function requestFor(format: HookFormat, told: Told): HookRequest {
  return REQUESTS[format](told);
}

const REQUESTS: Record<HookFormat, (told: Told) => HookRequest> = {
  json({ webhookId, event, secret, at }) {
    const type = event.type === 'test' ? 'test' : `device.${event.type}`;
    const body = JSON.stringify({ type, timestamp: event.at, data: event } satisfies HookMessage);
    return { headers: { ...JSON_TYPE, ...signedHeaders(secret, webhookId, at, body) }, body };
  },
  // https://api.slack.com/reference/surfaces/formatting#escaping: a device called "<!channel>" must not call everybody.
  slack({ event }) {
    const text = sentenceFor(event).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return { headers: JSON_TYPE, body: JSON.stringify({ text }) };
  },
  discord({ event }) {
    const content = sentenceFor(event).replace(/[\\*_~`|>[\]()#-]/g, '\\$&');
    return { headers: JSON_TYPE, body: JSON.stringify({ content, allowed_mentions: { parse: [] } }) };
  },
  ntfy({ event }) {
    const isUrgent = event.type === 'down';
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      title: `LanReach: ${event.site}`,
      tags: isUrgent ? 'warning' : 'information_source',
      priority: isUrgent ? 'high' : 'default',
    };
    return { headers, body: sentenceFor(event) };
  },
};

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const VERBS: Record<HookEvent['type'], string> = {
  new: 'is new',
  online: 'is online',
  offline: 'is offline',
  down: 'is down',
  found: 'was found',
  'ip-changed': 'has another address',
  conflict: 'claims what another device claims too',
  renamed: 'was renamed',
  edited: 'was edited',
  archived: 'was archived',
  deleted: 'was deleted',
  restored: 'was restored',
  imported: 'was imported',
  flapping: 'comes and goes (flapping); it is not mentioned again until it has been quiet for an hour',
  test: 'is a test',
};

/** One sentence for people. */
export function sentenceFor({ site, type, device, changes, count, deleted }: HookEvent): string {
  if (type === 'test') return `${site}: this is a test of LanReach.`;
  if (device === null) {
    const what = type === 'deleted' || deleted === count ? 'deleted' : type;
    return `${site}: ${count} devices were ${what}.`;
  }
  const name = oneLine(device.name) || 'a device without a name';
  const mac = device.mac === '' ? '' : ` (${device.mac})`;
  const shown = { 'ip-changed': changes.devLastIP, renamed: changes.devName }[type as string];
  const values = shown === undefined ? '' : `: ${oneLine(String(shown.from))} → ${oneLine(String(shown.to))}`;
  const text = `${site}: ${name}${mac} ${VERBS[type]}${values}.`;
  return text.length <= MAX_TEXT_CHARACTERS ? text : `${text.slice(0, MAX_TEXT_CHARACTERS - 1)}…`;
}

/** Names come from the LAN, and may have any characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]+/gu, ' ').trim();
}
