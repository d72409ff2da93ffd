/** `lanreach notifications …` */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { Delivery, DeliveryState, Hook } from '../../shared/api/hooks.ts';
import { DELIVERY_STATES } from '../../shared/words.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, fields, muted, state, table, time } from '../client/text.ts';
import {
  addRuleOptions,
  type Chosen,
  digestText,
  formatOption,
  onlyText,
  onOrOff,
  quietText,
  ruleOf,
} from './hook-options.ts';
import { addTemplate, type Place, sitesOption, tagsOf } from './selection.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface SiteOption {
  site?: string;
}

interface UrlOptions {
  to?: string;
  urlFile?: string;
}

type RuleOptions = Chosen & SiteOption & UrlOptions;

interface ListOptions extends SiteOption {
  state?: DeliveryState;
  limit: number;
}

export function addHookCommands(command: Command): void {
  const add = (name: string, description: string) =>
    command.command(name).description(description).option('--site <site>', "default: the token's default site");
  const withUrl = (one: Command) =>
    one
      .option('--to <url>', 'where to send; visible to others on this machine while the command runs')
      .option('--url-file <file>', 'read the URL from a file; - for standard input');

  add('list', 'list the notifications of a site').action(async ({ site }: SiteOption, own: Command) => {
    const session = openSession(own);
    const answer = await session.client.ask('GET /hooks', { site });
    await session.show(answer, () => table(['NAME', 'STATE', 'FORMAT', 'EVENTS', 'ID'], answer.hooks.map(row)));
    noteUnreadable(session, answer.unreadable);
  });

  const addOne = add('add', 'add a notification; the secret is shown only once').addOption(sitesOption());
  addRuleOptions(withUrl(addOne), formatOption().default('json')).action(
    async (options: RuleOptions & Place, own: Command) => {
      const session = openSession(own);
      const { client, show, note } = session;
      const tags = tagsOf(options);
      if (tags !== null && options.name === undefined) throw new Failure('usage', 'Give it a name: --name <name>');
      const url = await givenUrl(options);
      const { event = [], digest } = options;
      if (event.length === 0 && !digest)
        throw new Failure('usage', 'Choose events: --event <type...>, or --digest <when>');
      const wanted = { ...ruleOf(options), url, events: event };
      if (tags !== null) {
        const { name = '' } = options;
        const secrets = await addTemplate(session, tags, name, { hooks: [{ ...wanted, name }] });
        if (wanted.format === 'json') note(`The secret, which is not shown again: ${secrets[name]}`);
        return;
      }
      const added = await client.ask('POST /hooks', { site: options.site, body: wanted });
      await show(added, () =>
        fields({ ...described(added), ...(added.format === 'json' ? { secret: added.secret } : {}) }),
      );
      if (added.format === 'json') note('The secret, by which receivers check the signature, is not shown again.');
      note(`To see whether it works: lanreach notifications test ${added.id}`);
    },
  );

  withUrl(add('try', 'send a test event without adding a notification'))
    .addOption(formatOption().default('json'))
    .action(async (options: RuleOptions, own: Command) => {
      const { client, show } = openSession(own);
      const body = { url: await givenUrl(options), format: options.format };
      const tried = await client.ask('POST /hooks/test', { site: options.site, body });
      const { delivered, status, reason } = tried;
      await show(tried, () =>
        fields({ delivered: delivered ? 'yes' : 'no', status: String(status ?? '-'), reason: reason ?? '-' }),
      );
      if (!delivered) throw new Failure('failure', `It could not be delivered: ${reason ?? status}`);
    });

  add('show', 'show a notification')
    .argument('<id>', 'as "notifications list" shows it')
    .action(async (hook: string, { site }: SiteOption, own: Command) => {
      const { client, show } = openSession(own);
      const found = await client.ask('GET /hooks/{hook}', { site, params: { hook } });
      await show(found, () => fields(described(found)));
    });

  const setOne = add('set', 'change a notification; other options stay as they are');
  addRuleOptions(withUrl(setOne), formatOption())
    .argument('<id>', 'as "notifications list" shows it')
    .option('--enabled <on|off>', 'whether it sends anything', onOrOff)
    .option('--new-secret', 'replace its secret by a new one')
    .action(async (hook: string, options: RuleOptions & { enabled?: boolean; newSecret?: boolean }, own: Command) => {
      const { site, enabled, newSecret } = options;
      const { client, show, note } = openSession(own);
      const url = (await urlFrom(options)) ?? undefined;
      const secret = newSecret ? ('new' as const) : undefined;
      const rule = ruleOf(options);
      // Exceptions from quiet hours stay, unless they are named.
      const former =
        rule.quiet && !rule.quiet.exceptEvents
          ? await client.ask('GET /hooks/{hook}', { site, params: { hook } })
          : null;
      const quiet = rule.quiet && { ...former?.quiet, ...rule.quiet };
      const body = { ...rule, quiet, url, enabled, secret };
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
      await showResult(session, sent);
    });

  add('deliveries', 'list the last deliveries of a notification')
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
}

async function givenUrl(where: UrlOptions): Promise<string> {
  const url = await urlFrom(where);
  if (url === null) throw new Failure('usage', 'Say where to send: --to <url>, or --url-file <file>');
  return url;
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

async function showResult({ show }: Session, delivery: Delivery): Promise<void> {
  await show(delivery, () => fields(describedDelivery(delivery)));
  if (delivery.reason !== null) throw new Failure('failure', `It could not be delivered: ${delivery.reason}`);
}

function stateOf({ enabled, failingSince, problem }: Hook): Cell {
  if (!enabled) return problem === null ? state('disabled') : [state('disabled'), `: ${problem}`];
  return failingSince === null ? state('enabled') : [state('failing'), ' since ', time(failingSince)];
}

function row(hook: Hook): Cell[] {
  const digest = hook.digest === null ? [] : [`digest ${digestText(hook.digest)}`];
  return [hook.name || hook.url, stateOf(hook), hook.format, [...hook.events, ...digest].join(','), muted(hook.id)];
}

function described(hook: Hook): Record<string, Cell> {
  const { id, name, url, format, events, skipRandomMacs, digest, quiet, only } = hook;
  const { createdAt, createdBy, deliveredAt } = hook;
  return {
    id,
    name: name || '-',
    url,
    format,
    events: `${events.join(', ')}${skipRandomMacs ? ' (without made-up MACs)' : ''}`,
    of: onlyText(only),
    digest: digestText(digest),
    quiet: quietText(quiet),
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
