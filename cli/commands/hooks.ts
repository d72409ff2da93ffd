/** `lanreach notifications …` */
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { Delivery, DeliveryState, Hook } from '../../shared/api/hooks.ts';
import { mailtoOf } from '../../shared/mail-address.ts';
import { DELIVERY_STATES, IMPORTANT_EVENTS } from '../../shared/words.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import { type Cell, type Fields, fields, muted, state, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { onOrOff } from '../option-values.ts';
import {
  addRuleOptions,
  type Chosen,
  digestText,
  formatOption,
  onlyText,
  quietText,
  reportText,
  ruleOf,
} from './hook-options.ts';
import { addTemplate, type Place, tagsOf } from './selection.ts';

interface UrlOptions {
  to?: string;
  email?: string;
  urlFile?: string;
}

type RuleOptions = Chosen & UrlOptions;

export function addHookCommands(command: Command): void {
  const add = (name: string, description: string) =>
    command.part(name, description).withSite("default: the token's default site");
  const ofOne = (name: string, description: string) =>
    add(name, description).argument('<id>', 'as "notifications list" shows it');
  const withUrl = (one: Command) =>
    one
      .option('--to <url>', 'where to send; visible to others on this machine while the command runs')
      .option('--url-file <file>', 'read the URL from a file; - for standard input')
      .option('--email <address>', 'send by e-mail, in place of a URL');

  add('list', 'list the notifications of a site').run(({ request, site }) =>
    request('GET /hooks', { site }, ({ hooks }) => table(['NAME', 'STATE', 'FORMAT', 'EVENTS', 'ID'], hooks.map(row))),
  );

  const addOne = add('add', 'add a notification; the secret is shown only once').withTags();
  addRuleOptions(withUrl(addOne), formatOption()).run(async (session, options: RuleOptions & Place) => {
    const { request, note, site } = session;
    const tags = tagsOf(options);
    if (tags !== null && options.name === undefined) throw new Failure('usage', 'Give it a name: --name <name>');
    const url = await givenUrl(options);
    const { name = '', digest, report, email } = options;
    const isQuiet = email === undefined || Boolean(digest) || Boolean(report);
    const { event: events = isQuiet ? [] : [...IMPORTANT_EVENTS] } = options;
    if (events.length === 0 && !digest && !report)
      throw new Failure('usage', 'Choose events: --event <type...>, --digest <when>, or --report <when>');
    const wanted = { ...ruleOf(options), url, events, format: formatOf(options) };
    if (tags !== null) {
      const secrets = await addTemplate(session, tags, name, { hooks: [{ ...wanted, name }] });
      if (wanted.format === 'json') note(`The secret, which is not shown again: ${secrets[name]}`);
      return;
    }
    const added = await request('POST /hooks', { site, body: wanted }, (hook) =>
      described(hook, hook.format === 'json' ? hook.secret : null),
    );
    if (added.format === 'json') note('The secret, by which receivers check the signature, is not shown again.');
    note(`To see whether it works: lanreach notifications test ${added.id}`);
  });

  withUrl(add('try', 'send a test event without adding a notification'))
    .addOption(formatOption())
    .run(async ({ request, site }, options: RuleOptions) => {
      const body = { url: await givenUrl(options), format: formatOf(options) };
      const { delivered, status, reason } = await request('POST /hooks/test', { site, body }, (tried) =>
        fields({ delivered: tried.delivered ? 'yes' : 'no', status: tried.status ?? '-', reason: tried.reason ?? '-' }),
      );
      if (!delivered) throw new Failure('failure', `It could not be delivered: ${reason ?? status}`);
    });

  ofOne('show', 'show a notification').run(({ request, site }, hook: string) =>
    request('GET /hooks/{hook}', { site, params: { hook } }, described),
  );

  const setOne = add('set', 'change a notification; other options stay as they are');
  addRuleOptions(withUrl(setOne), formatOption())
    .argument('<id>', 'as "notifications list" shows it')
    .option('--enabled <on|off>', 'whether it sends anything', onOrOff)
    .option('--new-secret', 'replace its secret by a new one')
    .run(async (session, hook: string, options: RuleOptions & { enabled?: boolean; newSecret?: boolean }) => {
      const { client, request, note, site } = session;
      const params = { hook };
      const url = (await urlFrom(options)) ?? undefined;
      const secret = options.newSecret ? ('new' as const) : undefined;
      const rule = { ...ruleOf(options), ...(options.email === undefined ? {} : { format: formatOf(options) }) };
      // Exceptions from quiet hours stay, unless they are named.
      const keeps = rule.quiet && !rule.quiet.exceptEvents;
      const former = keeps ? await client.ask('GET /hooks/{hook}', { site, params }) : null;
      const quiet = rule.quiet && { ...former?.quiet, ...rule.quiet };
      const body = { ...rule, quiet, url, enabled: options.enabled, secret };
      const changed = await request('PATCH /hooks/{hook}', { site, params, body }, (one) => described(one, one.secret));
      if (changed.secret !== null) note('The secret is not shown again.');
    });

  ofOne('remove', 'remove a notification')
    .withYes()
    .run(async ({ confirm, request, note, site }, hook: string) => {
      await confirm(`Remove the notification ${hook}?`);
      await request('DELETE /hooks/{hook}', { site, params: { hook } });
      note(`The notification ${hook} is removed.`);
    });

  ofOne('test', 'send a test event, and wait for what becomes of it').run(async ({ request, site }, hook: string) => {
    const { reason } = await request('POST /hooks/{hook}/test', { site, params: { hook } }, describedDelivery);
    if (reason !== null) throw new Failure('failure', `It could not be delivered: ${reason}`);
  });

  ofOne('deliveries', 'list the last deliveries of a notification')
    .addOption(new Option('--state <state>', 'only those in this state').choices(DELIVERY_STATES))
    .option('--limit <number>', 'how many at most', Number, 50)
    .run(({ request, site }, hook: string, { state, limit }: { state?: DeliveryState; limit: number }) => {
      const question = { site, params: { hook }, query: { limit: String(limit), state } };
      const headings = ['EVENT', 'DEVICE', 'STATE', 'ATTEMPTS', 'NEXT', 'REASON', 'ID'];
      return request('GET /hooks/{hook}/deliveries', question, (all) =>
        table(headings, all.deliveries.map(deliveryRow)),
      );
    });
}

async function givenUrl(where: UrlOptions): Promise<string> {
  const url = await urlFrom(where);
  if (url === null)
    throw new Failure('usage', 'Say where to send: --to <url>, --url-file <file>, or --email <address>');
  return url;
}

/** A URL of a chat is a secret, which has no place among the arguments of a program. */
async function urlFrom({ to, urlFile, email }: UrlOptions): Promise<string | null> {
  if ([to, urlFile, email].filter((one) => one !== undefined).length > 1)
    throw new Failure('usage', 'Use one of --to, --url-file and --email');
  if (email !== undefined) return mailtoOf(email);
  if (urlFile === undefined) return to ?? null;
  const text = await readFile(urlFile === '-' ? '/dev/stdin' : urlFile, 'utf8').catch((error: Error) => {
    throw unreadableFile(urlFile, error);
  });
  return text.trim();
}

function formatOf({ email, format = email === undefined ? 'json' : 'email' }: RuleOptions): Hook['format'] {
  return format;
}

function stateOf({ enabled, failingSince, problem }: Hook): Cell {
  if (!enabled) return problem === null ? state('disabled') : [state('disabled'), `: ${problem}`];
  return failingSince === null ? state('enabled') : [state('failing'), ' since ', time(failingSince)];
}

function row(hook: Hook): Cell[] {
  const digest = hook.digest === null ? [] : [`digest ${digestText(hook.digest)}`];
  const report = hook.report === null ? [] : [`report ${reportText(hook.report)}`];
  return [
    hook.name || hook.url,
    stateOf(hook),
    hook.format,
    [...hook.events, ...digest, ...report].join(','),
    muted(hook.id),
  ];
}

function described(hook: Hook, secret: string | null = null): Fields {
  const { id, name, url, format, events, skipRandomMacs, digest, report, quiet, only } = hook;
  const { createdAt, createdBy, deliveredAt } = hook;
  return fields({
    id,
    name: name || '-',
    url,
    format,
    events: `${events.join(', ')}${skipRandomMacs ? ' (without made-up MACs)' : ''}`,
    of: onlyText(only),
    digest: digestText(digest),
    quiet: quietText(quiet),
    report: reportText(report),
    state: stateOf(hook),
    created: [time(createdAt), ` by ${createdBy}`],
    'last delivery': time(deliveredAt),
    secret,
  });
}

function deliveryRow({ id, event, device, attempts, nextAttemptAt, reason, ...delivery }: Delivery): Cell[] {
  const stands = [state(delivery.state), attempts, time(nextAttemptAt)];
  return [event, device ?? '-', ...stands, reason ?? '-', muted(id)];
}

function describedDelivery({ id, state, attempts, status, reason }: Delivery): Fields {
  return fields({ delivery: id, state, attempts, status: status ?? '-', reason: reason ?? '-' });
}
