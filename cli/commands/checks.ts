/** `lanreach check …` */
import { Option } from 'commander';
import type { AnswerOf, BodyOf } from '../../client/routes.ts';
import { parseHostName, parseIp } from '../../shared/addresses.ts';
import type { Check, CheckKind } from '../../shared/api/checks.ts';
import { Failure, failureOf } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { type Cell, type Fields, fields, joined, muted, state, type Text, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { listFrom, toSeconds } from '../option-values.ts';
import { DEVICE, keyOf } from './device-names.ts';
import { addTemplate, type Place, tagsOf } from './selection.ts';

/** What can be chosen of every check. */
interface Chosen extends Place {
  label?: string;
  every?: number;
  agents?: Check['agents'];
}

type Target = Partial<Pick<Check, 'device' | 'host' | 'port' | 'url' | 'name' | 'toSite'>>;
/** Options that take a text. */
type Texts<Name extends string> = Partial<Record<Name, string>>;

const TARGET = `${DEVICE}, or an address or a full host name`;
const LISTED = 'its id or its label, as "check list" shows them';

export function addCheckCommands(command: Command): void {
  addAddCommands(command.part('add', 'add a check'));

  const ofOne = (name: string, description: string) =>
    command.part(name, description).withSite().argument('<check>', LISTED);
  const change = async (session: Session, named: string, body: BodyOf<'PATCH /checks/{check}'>) => {
    const { request, site } = session;
    await request('PATCH /checks/{check}', { site, params: { check: await idOf(session, named) }, body }, described);
  };

  command
    .part('list', 'list the checks of a site, with how each stands')
    .withSite()
    .option('--device <device>', `only those of ${DEVICE}`)
    .addOption(new Option('--state <state>', 'only those in this state').choices(['up', 'down', 'unknown']))
    .run(async (session, { device, state }: Texts<'device'> & { state?: Check['state'] }) => {
      const { request, site } = session;
      const query = { device: device === undefined ? undefined : await keyOf(session, device), state };
      const headings = ['LABEL', 'STATE', 'SINCE', 'KIND', 'TARGET', 'RTT', 'LOSS', 'WHY', 'ID'];
      await request('GET /checks', { site, query }, ({ checks }) => table(headings, checks.map(row)));
    });

  ofOne('show', 'show a check').run(async (session, named: string) => {
    const { request, site } = session;
    await request('GET /checks/{check}', { site, params: { check: await idOf(session, named) } }, described);
  });

  withChoices(ofOne('set', 'change a check; what is not named stays as it is')).run(
    (session, named: string, { label, every, agents }: Chosen) =>
      change(session, named, { label, everySeconds: every, agents }),
  );
  for (const [name, description, enabled] of [
    ['pause', 'make a check no more, until "resume"', false],
    ['resume', 'make a check again', true],
  ] as const)
    ofOne(name, description).run((session, named: string) => change(session, named, { enabled }));

  ofOne('remove', 'remove a check; what it has measured stays until it expires')
    .withYes()
    .run(async (session, named: string) => {
      const { confirm, request, note, site } = session;
      const check = await idOf(session, named);
      await confirm(`Remove the check ${named}?`);
      await request('DELETE /checks/{check}', { site, params: { check } });
      note(`The check ${check} is removed.`);
    });

  command
    .part('matrix', 'show which site reaches which, and how fast')
    .argument('[sites]', 'only between these sites, with commas', listFrom)
    .option('--add', 'let these sites check each other, where they do not')
    .option('--every <time>', 'with --add: how often, such as 30m; default: 1m', toSeconds)
    .run(async (session, sites: string[] | undefined, { add, every }: { add?: boolean; every?: number }) => {
      if (add) await addMatrix(session, sites, every);
      await session.request('GET /checks/matrix', { query: { sites: sites?.join(',') } }, (answer) =>
        matrixText(
          answer.sites.map(({ id }) => id),
          answer.edges,
        ),
      );
    });
}

async function addMatrix({ client, note }: Session, sites: string[] | undefined, everySeconds: number | undefined) {
  if (sites === undefined) throw new Failure('usage', 'Say which sites: check matrix home,cabin --add');
  const { added, unreachable } = await client.ask('POST /checks/matrix', { body: { sites, everySeconds } });
  note(`${added} ${added === 1 ? 'check is' : 'checks are'} added.`);
  if (unreachable.length > 0)
    note(`No site can reach ${unreachable.join(', ')}: lanreach site set <site> --reachable-at <address>`);
}

function addAddCommands(command: Command): void {
  const of = (kind: CheckKind, description: string) =>
    withChoices(command.part(kind, description)).withSite().withTags();
  const add = async (
    session: Session,
    kind: CheckKind,
    { label, every, agents, ...place }: Chosen,
    target: Record<string, unknown>,
  ) => {
    const wanted = { kind, label, everySeconds: every, agents, ...target };
    const tags = tagsOf(place);
    if (tags !== null) {
      const called = label ?? String(target.host ?? target.name ?? target.url ?? target.toSite ?? kind);
      return void (await addTemplate(session, tags, called, { checks: [{ ...wanted, label: called }] }));
    }
    const { request, note, site, siteWords } = session;
    const added = await request('POST /checks', { site, body: wanted }, described);
    note(`Its state: lanreach check show ${added.id}${siteWords}`);
  };
  /** A device is one of a single site. */
  const targetFor = async (session: Session, text: string, place: Place) =>
    tagsOf(place) === null ? targetOf(session, text) : { host: text };

  of('ping', 'its latency and loss')
    .argument('<device>', TARGET)
    .run(async (session, device: string, options: Chosen) =>
      add(session, 'ping', options, await targetFor(session, device, options)),
    );
  of('tcp', 'whether a port accepts connections')
    .argument('<device>', TARGET)
    .argument('<port>', 'the number of the port', Number)
    .run(async (session, device: string, port: number, options: Chosen) =>
      add(session, 'tcp', options, { ...(await targetFor(session, device, options)), port }),
    );
  of('http', 'what a web server answers, and when its certificate ends')
    .argument('<url>', 'such as https://nas.lan/')
    .option('--status <statuses>', 'statuses that count as well, such as 200-399,401; default: 200-399')
    .option('--text <text>', 'what the answer must contain')
    .run((session, url: string, { status, text, ...options }: Chosen & Texts<'status' | 'text'>) =>
      add(session, 'http', options, { url, status, text }),
    );
  of('dns', 'what a name server answers')
    .argument('<name>', 'the name to resolve')
    .option('--record <type>', 'such as AAAA or MX; default: A')
    .option('--server <host>', "the server; default: that of the agent's host")
    .option('--expect <answer>', 'one of the answers must be this')
    .run((session, name: string, { record, server, expect, ...rest }: Chosen & Texts<'record' | 'server' | 'expect'>) =>
      add(session, 'dns', rest, { name, record: record?.toUpperCase(), server, expect }),
    );
  of('internet', 'the way out, by some hosts of the internet')
    .option('--anchor <host...>', 'it is lost when none of these answers; default: 1.1.1.1 and 9.9.9.9')
    .run((session, { anchor, ...options }: Chosen & { anchor?: string[] }) =>
      add(session, 'internet', options, { anchors: anchor }),
    );
  of('site', 'another site, at the address at which it can be reached')
    .argument('<site>', 'its id')
    .run((session, toSite: string, options: Chosen) => add(session, 'site', options, { toSite }));
}

function withChoices(command: Command): Command {
  return command
    .option('--label <label>', 'its name; default: its target')
    .option('--every <time>', 'how often, such as 5m or 1h; from 1m; default: 1m', toSeconds)
    .option(
      '--agents <names>',
      'which agents make it, with commas: names, "auto" for two of them, or "all"',
      agentsFrom,
    );
}

/** A device of the site, if there is one of this name; else a host. A name without a dot would be misread too easily. */
async function targetOf(session: Session, text: string): Promise<Target> {
  if (parseIp(text) !== null) return { host: text };
  try {
    return { device: await keyOf(session, text) };
  } catch (error) {
    const isHost = text.includes('.') && parseHostName(text) !== null;
    if (isHost && failureOf(error)?.ending === 'notFound') return { host: text };
    throw error;
  }
}

async function idOf({ client, site }: Session, named: string): Promise<string> {
  if (/^[0-9a-f]{12}$/.test(named)) return named;
  const { checks: all } = await client.ask('GET /checks', { site });
  const [only, ...others] = all.filter(({ label }) => label.toLowerCase() === named.toLowerCase());
  if (only === undefined) throw new Failure('notFound', `No check is called "${named}". See: lanreach check list`);
  if (others.length === 0) return only.id;
  const ids = [only, ...others].map(({ id }) => id).join(', ');
  throw new Failure('usage', `ambiguous: ${others.length + 1} checks are called "${named}": ${ids}`);
}

const agentsFrom = (text: string): Check['agents'] => (text === 'auto' || text === 'all' ? text : listFrom(text));

function subjectText({ kind, device, host, port, url, name, record, anchors, toSite }: Check): string {
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
  return [label, state, time(since), kind, subjectText(check), ...numbers, reason ?? '-', muted(id)];
}

function described(check: Check): Fields {
  const { id, label, kind, everySeconds, agents, since, reason, certificateEndsAt, path, measured } = check;
  const { status, text, server, expect, createdAt, createdBy } = check;
  const last = measured.map(({ agent, at, rttMs, lossPercent, jitterMs }): Cell => {
    const jitter = jitterMs === null ? '' : `, jitter ${jitterMs} ms`;
    return [`${agent}: ${msText(rttMs)}, ${lossPercent} % lost${jitter}, at `, time(at)];
  });
  return fields({
    ...{ id, label, kind, target: subjectText(check) },
    every: `${everySeconds} s`,
    agents: typeof agents === 'string' ? agents : agents.join(', '),
    state: stateCell(check),
    ...{ status, text, server, expect },
    since: since && time(since),
    why: reason,
    'certificate ends': certificateEndsAt && time(certificateEndsAt),
    path: path?.map((hop) => hop || '*').join(' → '),
    measured: last.length === 0 ? null : joined(last, '; '),
    created: [time(createdAt), ` by ${createdBy}`],
  });
}

type Edge = Pick<AnswerOf<'GET /checks/matrix'>['edges'][number], 'from' | 'to' | 'state' | 'rttMs'>;

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
