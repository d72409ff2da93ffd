/** `lanreach notifications …` */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EventType } from '../../shared/api/events.ts';
import type { Delivery, DeliveryState, Hook, HookFormat } from '../../shared/api/hooks.ts';
import type { Digest } from '../../shared/schedule-terms.ts';
import { DELIVERY_STATES, EVENT_TYPES, HOOK_FORMATS, WEEKDAYS } from '../../shared/words.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, fields, muted, state, table, time } from '../client/text.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface SiteOption {
  site?: string;
}

interface UrlOptions {
  to?: string;
  urlFile?: string;
}

interface Chosen extends SiteOption, UrlOptions {
  event?: EventType[];
  format?: HookFormat;
  skipRandomMacs?: boolean;
  digest?: Digest | null;
}

interface ListOptions extends SiteOption {
  state?: DeliveryState;
  limit: number;
}

/** How long a person waits for what becomes of a delivery: a second for the queue, and ten for the receiver. */
const RESULT_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 500;

export function addHookCommands(command: Command): void {
  const add = (name: string, description: string) =>
    command.command(name).description(description).option('--site <site>', "default: the token's default site");
  const events = () => new Option('--event <type...>', 'events of which it tells').choices(EVENT_TYPES);
  const format = () => new Option('--format <format>', 'what its receiver understands').choices(HOOK_FORMATS);
  const randomMacs = () =>
    new Option('--skip-random-macs <on|off>', 'leave out new devices that made their MAC up').argParser(onOrOff);
  const digest = () =>
    new Option('--digest <when>', `one message about what has changed: ${DIGEST_EXAMPLES}`).argParser(digestFrom);
  const withUrl = (one: Command) =>
    one
      .option('--to <url>', 'where to send; visible to others on this machine while the command runs')
      .option('--url-file <file>', 'read the URL from a file; - for standard input');

  add('list', 'list the notifications of a site').action(async ({ site }: SiteOption, own: Command) => {
    const session = openSession(own);
    const answer = await session.client.ask('GET /hooks', { site });
    await session.show(answer, () => table(['URL', 'STATE', 'FORMAT', 'EVENTS', 'ID'], answer.hooks.map(row)));
    noteUnreadable(session, answer.unreadable);
  });

  withUrl(add('add', 'add a notification; its secret is shown only once'))
    .addOption(events())
    .addOption(format().default('json'))
    .addOption(randomMacs())
    .addOption(digest())
    .action(async ({ site, event = [], format: form, skipRandomMacs, digest, ...where }: Chosen, own: Command) => {
      const { client, show, note } = openSession(own);
      const url = await urlFrom(where);
      if (url === null) throw new Failure('usage', 'Say where to send: --to <url>, or --url-file <file>');
      if (event.length === 0 && !digest)
        throw new Failure('usage', 'Say what to tell: --event <type...>, or --digest <when>');
      const body = { url, events: event, format: form, skipRandomMacs, digest };
      const added = await client.ask('POST /hooks', { site, body });
      await show(added, () =>
        fields({ ...described(added), ...(added.format === 'json' ? { secret: added.secret } : {}) }),
      );
      if (added.format === 'json') note('The secret, by which receivers check the signature, is not shown again.');
      note(`To see whether it works: lanreach notifications test ${added.id}`);
    });

  add('show', 'show a notification')
    .argument('<id>', 'as "notifications list" shows it')
    .action(async (hook: string, { site }: SiteOption, own: Command) => {
      const { client, show } = openSession(own);
      const found = await client.ask('GET /hooks/{hook}', { site, params: { hook } });
      await show(found, () => fields(described(found)));
    });

  withUrl(add('set', 'change a notification; what is not named stays as it is'))
    .argument('<id>', 'as "notifications list" shows it')
    .addOption(events())
    .addOption(format())
    .addOption(randomMacs())
    .addOption(digest())
    .option('--enabled <on|off>', 'whether it tells anything', onOrOff)
    .option('--new-secret', 'replace its secret by a new one')
    .action(async (hook: string, options: Chosen & { enabled?: boolean; newSecret?: boolean }, own: Command) => {
      const { site, event, format: form, skipRandomMacs, digest, enabled, newSecret, ...where } = options;
      const { client, show, note } = openSession(own);
      const url = (await urlFrom(where)) ?? undefined;
      const secret = newSecret ? ('new' as const) : undefined;
      const body = { url, events: event, format: form, skipRandomMacs, digest, enabled, secret };
      const changed = await client.ask('PATCH /hooks/{hook}', { site, params: { hook }, body });
      const shown = changed.secret === null ? {} : { secret: changed.secret };
      await show(changed, () => fields({ ...described(changed), ...shown }));
      if (changed.secret !== null) note('The secret is not shown again.');
    });

  add('remove', 'remove a notification')
    .argument('<id>', 'as "notifications list" shows it')
    .addOption(yesOption())
    .action(async (hook: string, { site, yes }: SiteOption & YesOption, own: Command) => {
      const { client, show, note, world } = openSession(own);
      await confirm(world, `Remove the notification ${hook}?`, yes);
      const answer = await client.ask('DELETE /hooks/{hook}', { site, params: { hook } });
      await show(answer, () => '');
      note(`The notification ${hook} is removed.`);
    });

  add('test', 'send a test event, and wait for what becomes of it')
    .argument('<id>', 'as "notifications list" shows it')
    .action(async (hook: string, { site }: SiteOption, own: Command) => {
      const session = openSession(own);
      const sent = await session.client.ask('POST /hooks/{hook}/test', { site, params: { hook } });
      await showResult(session, { site, hook }, sent);
    });

  add('deliveries', 'list what a notification has told, and what it could not tell')
    .argument('<id>', 'as "notifications list" shows it')
    .addOption(new Option('--state <state>', 'only those in this state').choices(DELIVERY_STATES))
    .option('--limit <number>', 'how many at most', Number, 50)
    .action(async (hook: string, { site, state, limit }: ListOptions, own: Command) => {
      const session = openSession(own);
      const query = { limit: String(limit), ...(state === undefined ? {} : { state }) };
      const answer = await session.client.ask('GET /hooks/{hook}/deliveries', { site, params: { hook }, query });
      await session.show(answer, () =>
        table(['EVENT', 'DEVICE', 'STATE', 'ATTEMPTS', 'NEXT', 'REASON', 'ID'], answer.deliveries.map(deliveryRow)),
      );
      noteUnreadable(session, answer.unreadable);
    });

  add('repeat', 'deliver something again, and wait for what becomes of it')
    .argument('<id>', 'as "notifications list" shows it')
    .argument('<delivery>', 'as "notifications deliveries" shows it')
    .action(async (hook: string, delivery: string, { site }: SiteOption, own: Command) => {
      const session = openSession(own);
      const begun = await session.client.ask('POST /hooks/{hook}/deliveries/{delivery}/repeat', {
        site,
        params: { hook, delivery },
      });
      await showResult(session, { site, hook }, begun);
    });
}

/** A URL of a chat is a secret, which has no place among the arguments of a program. */
async function urlFrom({ to, urlFile }: UrlOptions): Promise<string | null> {
  if (to !== undefined && urlFile !== undefined) throw new Failure('usage', 'Use --to or --url-file, not both');
  if (urlFile === undefined) return to ?? null;
  const text = await readFile(urlFile === '-' ? '/dev/stdin' : urlFile, 'utf8').catch((error: Error) => {
    throw unreadableFile(urlFile, error);
  });
  return text.trim();
}

async function showResult(
  { client, show, note }: Session,
  { site, hook }: { site: string | undefined; hook: string },
  begun: Delivery,
): Promise<void> {
  const until = Date.now() + RESULT_WITHIN_MS;
  let delivery = begun;
  while (delivery.state === 'pending' && delivery.reason === null && Date.now() < until) {
    await sleep(LOOK_EVERY_MS);
    const { deliveries } = await client.ask('GET /hooks/{hook}/deliveries', { site, params: { hook } });
    delivery = deliveries.find(({ id }) => id === begun.id) ?? delivery;
  }
  await show(delivery, () => fields(describedDelivery(delivery)));
  if (delivery.reason !== null) throw new Failure('failure', `It could not be delivered: ${delivery.reason}`);
  if (delivery.state === 'pending')
    note(`It was not attempted yet. Look again: lanreach notifications deliveries ${hook}`);
}

function onOrOff(word: string): boolean {
  if (word === 'on') return true;
  if (word === 'off') return false;
  throw new InvalidArgumentError('Expected on or off.');
}

const DIGEST_EXAMPLES = 'daily@08:00, weekly@monday,08:00 or none';

function digestFrom(text: string): Digest | null {
  if (text === 'none') return null;
  const [, day] = /^daily@(.+)$/.exec(text) ?? [];
  const [, weekday, at] = /^weekly@(\w+),(.+)$/.exec(text) ?? [];
  const time = day ?? at ?? '';
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) {
    if (day !== undefined) return { every: 'day', at: time };
    const named = WEEKDAYS.find((one) => one === weekday);
    if (named !== undefined) return { every: 'week', weekday: named, at: time };
  }
  throw new InvalidArgumentError(`Expected ${DIGEST_EXAMPLES}, by the clock of the site.`);
}

function digestText(digest: Digest | null): string {
  if (digest === null) return 'none';
  return digest.every === 'day' ? `daily@${digest.at}` : `weekly@${digest.weekday},${digest.at}`;
}

function stateOf({ enabled, failingSince, problem }: Hook): Cell {
  if (!enabled) return problem === null ? state('disabled') : [state('disabled'), `: ${problem}`];
  return failingSince === null ? state('enabled') : [state('failing'), ' since ', time(failingSince)];
}

function row(hook: Hook): Cell[] {
  const digest = hook.digest === null ? [] : [`digest ${digestText(hook.digest)}`];
  return [hook.url, stateOf(hook), hook.format, [...hook.events, ...digest].join(','), muted(hook.id)];
}

function described(hook: Hook): Record<string, Cell> {
  const { id, url, format, events, skipRandomMacs, digest, createdAt, createdBy, deliveredAt } = hook;
  return {
    id,
    url,
    format,
    events: `${events.join(', ')}${skipRandomMacs ? ' (without made-up MACs)' : ''}`,
    digest: digestText(digest),
    state: stateOf(hook),
    created: [time(createdAt), ` by ${createdBy}`],
    'last delivery': time(deliveredAt),
  };
}

function deliveryRow({ id, event, device, attempts, nextAttemptAt, reason, ...delivery }: Delivery): Cell[] {
  const stands = [state(delivery.state), String(attempts), time(nextAttemptAt)];
  return [event, device ?? '-', ...stands, reason ?? '-', muted(id)];
}

function describedDelivery({ id, state, attempts, status, reason }: Delivery): Record<string, string> {
  return {
    delivery: id,
    state,
    attempts: String(attempts),
    status: status === null ? '-' : String(status),
    reason: reason ?? '-',
  };
}
