/** `lanreach check …` */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseHostName, parseIp } from '../../shared/addresses.ts';
import type { Check, CheckKind } from '../../shared/api/checks.ts';
import { parseDeviceKey } from '../../shared/device-key.ts';
import { shellWord } from '../../shared/install-line.ts';
import type { Api } from '../client/api.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time } from '../client/text.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { addTemplate, type Place, sitesOption, tagsOf } from './selection.ts';
import { siteOption } from './site-option.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface SiteOptions {
  site?: string;
}

/** What can be chosen of every check. */
interface Chosen extends Place {
  label?: string;
  every?: number;
  agents?: Check['agents'];
}

type Target = Partial<Pick<Check, 'device' | 'host' | 'port' | 'url' | 'name' | 'toSite'>>;

const TARGET = `${DEVICE}, or an address or a full host name`;
const LISTED = 'its id or its label, as "check list" shows them';

export function addCheckCommands(command: Command): void {
  addAddCommands(command.command('add').description('add a check'));

  const add = (name: string, description: string) =>
    command.command(name).description(description).addOption(siteOption());
  const ofOne = (name: string, description: string) => add(name, description).argument('<check>', LISTED);

  add('list', 'list the checks of a site, with how each stands')
    .option('--device <device>', `only those of ${DEVICE}`)
    .addOption(new Option('--state <state>', 'only those in this state').choices(['up', 'down', 'unknown']))
    .action(
      async ({ site, device, state }: SiteOptions & { device?: string; state?: Check['state'] }, own: Command) => {
        const session = openSession(own);
        const key = device === undefined ? undefined : await keyOf(session, device, site);
        const answer = await session.client.ask('GET /checks', { site, query: { device: key, state } });
        const headings = ['LABEL', 'STATE', 'SINCE', 'KIND', 'TARGET', 'RTT', 'LOSS', 'WHY', 'ID'];
        await session.show(answer, () => table(headings, answer.checks.map(row)));
        noteUnreadable(session, answer.unreadable);
      },
    );

  ofOne('show', 'show a check').action(async (named: string, { site }: SiteOptions, own: Command) => {
    const { client, show } = openSession(own);
    const params = { check: await idOf(client, named, site) };
    const found = await client.ask('GET /checks/{check}', { site, params });
    await show(found, () => fields(described(found)));
  });

  withChoices(ofOne('set', 'change a check; what is not named stays as it is')).action(
    async (named: string, { site, label, every, agents }: Chosen, own: Command) => {
      await change(own, named, site, { label, everySeconds: every, agents });
    },
  );
  for (const [name, description, enabled] of [
    ['pause', 'make a check no more, until "resume"', false],
    ['resume', 'make a check again', true],
  ] as const)
    ofOne(name, description).action(async (named: string, { site }: SiteOptions, own: Command) => {
      await change(own, named, site, { enabled });
    });

  ofOne('remove', 'remove a check; what it has measured stays until it expires')
    .addOption(yesOption())
    .action(async (named: string, { site, yes }: SiteOptions & YesOption, own: Command) => {
      const { client, show, note, world } = openSession(own);
      const check = await idOf(client, named, site);
      await confirm(world, `Remove the check ${named}?`, yes);
      const answer = await client.ask('DELETE /checks/{check}', { site, params: { check } });
      await show(answer, () => '');
      note(`The check ${check} is removed.`);
    });

  command
    .command('matrix')
    .description('show which site reaches which, and how fast')
    .argument('[sites]', 'only between these sites, with commas', listFrom)
    .option('--add', 'let these sites check each other, where they do not')
    .option('--every <time>', 'with --add: how often, such as 30m; default: 1m', secondsFrom)
    .action(async (sites: string[] | undefined, { add, every }: { add?: boolean; every?: number }, own: Command) => {
      const session = openSession(own);
      if (add) {
        if (sites === undefined) throw new Failure('usage', 'Say which sites: check matrix home,cabin --add');
        const body = { sites, everySeconds: every };
        const { added, unreachable } = await session.client.ask('POST /checks/matrix', { body });
        session.note(`${added} ${added === 1 ? 'check is' : 'checks are'} added.`);
        if (unreachable.length > 0)
          session.note(
            `No site can reach ${unreachable.join(', ')}: lanreach site set <site> --reachable-at <address>`,
          );
      }
      const answer = await session.client.ask('GET /checks/matrix', { query: { sites: sites?.join(',') } });
      const shown = answer.sites.map(({ id }) => id);
      await session.show(answer, () => matrixText(shown, answer.edges));
      noteUnreadable(session, answer.unreadable);
    });
}

function addAddCommands(command: Command): void {
  const of = (kind: CheckKind, description: string) =>
    withChoices(command.command(kind).description(description)).addOption(siteOption()).addOption(sitesOption());
  const open = async (own: Command, kind: CheckKind, { label, every, agents, ...chosen }: Chosen) => {
    const session = openSession(own);
    const tags = tagsOf(chosen);
    const { site } = chosen;
    const add = async (target: Record<string, unknown>) => {
      const wanted = { kind, label, everySeconds: every, agents, ...target };
      if (tags !== null) {
        const called = label ?? String(target.host ?? target.name ?? target.url ?? target.toSite ?? kind);
        return void (await addTemplate(session, tags, called, { checks: [{ ...wanted, label: called }] }));
      }
      const added = await session.client.ask('POST /checks', { site, body: wanted });
      await session.show(added, () => fields(described(added)));
      session.note(`Its state: lanreach check show ${added.id}${site ? ` --site ${shellWord(site)}` : ''}`);
    };
    // A device is one of a single site.
    return { add, targetOf: async (text: string) => (tags === null ? targetOf(session, text, site) : { host: text }) };
  };

  of('ping', 'its latency and loss')
    .argument('<device>', TARGET)
    .action(async (device: string, options: Chosen, own: Command) => {
      const { add, targetOf } = await open(own, 'ping', options);
      await add(await targetOf(device));
    });
  of('tcp', 'whether a port accepts connections')
    .argument('<device>', TARGET)
    .argument('<port>', 'the number of the port', Number)
    .action(async (device: string, port: number, options: Chosen, own: Command) => {
      const { add, targetOf } = await open(own, 'tcp', options);
      await add({ ...(await targetOf(device)), port });
    });
  of('http', 'what a web server answers, and when its certificate ends')
    .argument('<url>', 'such as https://nas.lan/')
    .option('--status <statuses>', 'statuses that count as well, such as 200-399,401; default: 200-399')
    .option('--text <text>', 'what the answer must contain')
    .action(
      async (
        url: string,
        { status, text, ...options }: Chosen & Partial<Record<'status' | 'text', string>>,
        own: Command,
      ) => {
        await (await open(own, 'http', options)).add({ url, status, text });
      },
    );
  of('dns', 'what a name server answers')
    .argument('<name>', 'the name to resolve')
    .option('--record <type>', 'such as AAAA or MX; default: A')
    .option('--server <host>', "the server; default: that of the agent's host")
    .option('--expect <answer>', 'one of the answers must be this')
    .action(
      async (
        name: string,
        { record, server, expect, ...options }: Chosen & Partial<Record<'record' | 'server' | 'expect', string>>,
        own: Command,
      ) => {
        await (await open(own, 'dns', options)).add({ name, record: record?.toUpperCase(), server, expect });
      },
    );
  of('internet', 'the way out, by some hosts of the internet')
    .option('--anchor <host...>', 'it is lost when none of these answers; default: 1.1.1.1 and 9.9.9.9')
    .action(async ({ anchor, ...options }: Chosen & { anchor?: string[] }, own: Command) => {
      await (await open(own, 'internet', options)).add({ anchors: anchor });
    });
  of('site', 'another site, at the address at which it can be reached')
    .argument('<site>', 'its id')
    .action(async (toSite: string, options: Chosen, own: Command) => {
      await (await open(own, 'site', options)).add({ toSite });
    });
}

function withChoices(command: Command): Command {
  return command
    .option('--label <label>', 'its name; default: its target')
    .option('--every <time>', 'how often, such as 5m or 1h; from 1m; default: 1m', secondsFrom)
    .option(
      '--agents <names>',
      'which agents make it, with commas: names, "auto" for two of them, or "all"',
      agentsFrom,
    );
}

async function change(
  own: Command,
  named: string,
  site: string | undefined,
  wanted: { [Name in 'label' | 'everySeconds' | 'agents' | 'enabled']?: Check[Name] | undefined },
): Promise<void> {
  const { client, show } = openSession(own);
  const params = { check: await idOf(client, named, site) };
  const changed = await client.ask('PATCH /checks/{check}', { site, params, body: wanted });
  await show(changed, () => fields(described(changed)));
}

/** A device of the site, if there is one of this name; else a host. A name without a dot would be misread too easily. */
async function targetOf(session: Session, text: string, site: string | undefined): Promise<Target> {
  if (parseIp(text) !== null) return { host: text };
  if (parseDeviceKey(text) !== null) return { device: await keyOf(session, text, site) };
  try {
    return { device: await keyOf(session, text, site) };
  } catch (error) {
    const isHost = text.includes('.') && parseHostName(text) !== null;
    if (isHost && failureOf(error)?.ending === 'notFound') return { host: text };
    throw error;
  }
}

async function idOf(client: Api, named: string, site: string | undefined): Promise<string> {
  if (/^[0-9a-f]{12}$/.test(named)) return named;
  const { checks: all } = await client.ask('GET /checks', { site });
  const [only, ...others] = all.filter(({ label }) => label.toLowerCase() === named.toLowerCase());
  if (only === undefined) throw new Failure('notFound', `No check is called "${named}". See: lanreach check list`);
  if (others.length === 0) return only.id;
  const ids = [only, ...others].map(({ id }) => id).join(', ');
  throw new Failure('usage', `ambiguous: ${others.length + 1} checks are called "${named}": ${ids}`);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function secondsFrom(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (UNIT_SECONDS[unit] ?? 0);
  throw new InvalidArgumentError('Expected a length of time such as 90s, 5m or 1h.');
}

const listFrom = (text: string): string[] => text.split(',').map((word) => word.trim());
const agentsFrom = (text: string): Check['agents'] => (text === 'auto' || text === 'all' ? text : listFrom(text));

function askedText({ kind, device, host, port, url, name, record, anchors, toSite }: Check): string {
  const end = port === undefined ? '' : ` ${port}`;
  const of = device ?? host ?? url ?? toSite ?? anchors?.join(' ') ?? '';
  return kind === 'dns' ? `${name} ${record ?? 'A'}` : `${of}${end}`;
}

function stateCell({ enabled, state: known }: Check): Cell {
  return state(enabled ? known : 'paused');
}

const msText = (ms: number | null) => (ms === null ? '-' : `${ms} ms`);

function row(check: Check): Cell[] {
  const { id, label, kind, since, reason, measured } = check;
  const [last] = measured;
  const numbers = last === undefined ? ['-', '-'] : [msText(last.rttMs), `${last.lossPercent} %`];
  const state = stateCell(check);
  return [label, state, time(since), kind, askedText(check), ...numbers, reason ?? '-', muted(id)];
}

function described(check: Check): Record<string, Cell> {
  const { id, label, kind, everySeconds, agents, since, reason, certificateEndsAt, path, measured } = check;
  const { status, text, server, expect, createdAt, createdBy } = check;
  const last = measured.map(
    ({ agent, at, rttMs, lossPercent, jitterMs }): Cell => [
      `${agent}: ${msText(rttMs)}, ${lossPercent} % lost${jitterMs === null ? '' : `, jitter ${jitterMs} ms`}, at `,
      time(at),
    ],
  );
  const known = {
    ...{ status, text, server, expect },
    since: since === null ? undefined : time(since),
    why: reason ?? undefined,
    'certificate ends': certificateEndsAt ? time(certificateEndsAt) : undefined,
    path: path?.map((hop) => hop || '*').join(' → '),
    measured: last.length === 0 ? undefined : last.flatMap((one, i): Cell[] => (i === 0 ? [one] : ['; ', one])),
  };
  return {
    ...{ id, label, kind, target: askedText(check) },
    every: `${everySeconds} s`,
    agents: typeof agents === 'string' ? agents : agents.join(', '),
    state: stateCell(check),
    ...Object.fromEntries(Object.entries(known).filter((one): one is [string, Cell] => one[1] !== undefined)),
    created: [time(createdAt), ` by ${createdBy}`],
  };
}

interface Edge {
  from: string;
  to: string;
  state: Check['state'];
  rttMs: number | null;
}

/** A line for each site that checks, a column for each that is checked. */
function matrixText(sites: readonly string[], edges: readonly Edge[]): Text {
  const cell = (from: string, to: string) => {
    if (from === to) return '-';
    const edge = edges.find((one) => one.from === from && one.to === to);
    if (edge === undefined) return '';
    return edge.state === 'up' && edge.rttMs !== null ? msText(edge.rttMs) : edge.state;
  };
  return table(
    ['FROM', ...sites.map((id) => id.toUpperCase())],
    sites.map((from) => [from, ...sites.map((to) => cell(from, to))]),
  );
}
