/** `lanreach runs …` */
import { type Command, Option } from 'commander';
import type { Job } from '../../shared/api/jobs.ts';
import type { Tool } from '../../shared/tools/list.ts';
import { JOB_STATES } from '../../shared/words.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time, withLineEnd } from '../client/text.ts';
import { repeated, watchOption } from '../client/watch-option.ts';
import { addExportCommand, type ExportOptions, runExport } from './export.ts';
import { limitOption } from './limit-option.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

interface ListOptions {
  site?: string;
  state?: Job['state'];
  tool?: Tool;
  about?: string;
  agent?: string;
  since?: string;
  limit: number;
}

type RunExportOptions = ExportOptions & Pick<ListOptions, 'state' | 'tool'>;

const LISTED = 'its id as "runs list" shows it, or enough of its beginning or end';

export function addJobCommands(runs: Command): void {
  runs
    .command('list')
    .description('list the runs of a site, the newest first')
    .addOption(siteOption())
    .addOption(stateOption())
    .addOption(toolOption())
    .option('--about <what>', 'whose arguments name this address, range, name or MAC only; several with commas')
    .option('--agent <agent-name>', 'of this agent of the site only')
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .addOption(limitOption())
    .addOption(watchOption())
    .action(
      repeated(async ({ site, since, ...query }: ListOptions, command: Command) => {
        const session = openSession(command);
        const { state, tool, about, limit } = query;
        const agent = query.agent === undefined ? undefined : await agentIdOf(session.client, query.agent, site);
        const wanted = { state, tool, about, agent, limit: String(limit) };
        const answer = await session.client.ask('GET /jobs', { site, query: wanted });
        const jobs = answer.jobs.filter(({ createdAt }) => since === undefined || createdAt >= since);
        await session.show({ ...answer, jobs }, () => table(['RUN', 'RESULT', 'WHEN', 'AGENT', 'ID'], jobs.map(row)));
        noteUnreadable(session, answer.unreadable);
        if (answer.nextCursor !== null && jobs.length === answer.jobs.length)
          session.note(`These are the newest ${limit}; --limit shows more.`);
      }),
    );

  addExportCommand(runs, 'the runs of a site, without their output,')
    .addOption(stateOption())
    .addOption(toolOption())
    .action(async ({ site, since, until, state, tool }: RunExportOptions, command: Command) => {
      const query = { since, until, state, tool };
      await runExport(command, 'GET /jobs/export', (format) => ({ site, query: { ...query, format } }));
    });

  runs
    .command('show', { isDefault: true })
    .description('show a run and its output; "runs <run>" does the same')
    .argument('<run>', LISTED)
    .addOption(siteOption())
    .action(async (named: string, { site }: { site?: string }, command: Command) => {
      const { client, show, note } = openSession(command);
      const found = await client.ask('GET /jobs/{id}', { params: { id: await idOf(client, named, site) } });
      await show(found, () => jobText(found));
      if (found.agentOfflineSince !== null) {
        note([
          'The agent cannot be reached since ',
          time(found.agentOfflineSince),
          '; the result comes when it is back. The state is the last one known.',
        ]);
      }
    });

  runs
    .command('cancel')
    .description('stop a run, and show what it had printed')
    .argument('<run>', LISTED)
    .addOption(siteOption())
    .action(async (named: string, { site }: { site?: string }, command: Command) => {
      const { client, show, note } = openSession(command);
      const stopped = await client.ask('DELETE /jobs/{id}', { params: { id: await idOf(client, named, site) } });
      await show(stopped, () => jobText(stopped));
      note(`The agent ${stopped.agent} has stopped it.`);
    });
}

/** An agent is named within its site; a name of a site stands before it in lists of agents. */
async function agentIdOf(client: Api, name: string, site: string | undefined): Promise<string> {
  if (name.includes(':')) return name;
  return `${site ?? (await client.ask('GET /tokens/self')).defaultSite}:${name}`;
}

function stateOption(): Option {
  return new Option('--state <state>', 'in this state only').choices(JOB_STATES);
}

function toolOption(): Option {
  return new Option('--tool <tool>', 'of this tool only, such as nmap');
}

/** Among how many of the newest runs a part of an id is looked for. */
const LOOKED_AT = 500;
const WHOLE_ID = /^[a-z0-9-]{1,32}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LEAST_CHARACTERS = 4;

async function idOf(client: Api, named: string, site: string | undefined): Promise<string> {
  if (WHOLE_ID.test(named)) return named;
  if (named.length < LEAST_CHARACTERS) throw new Failure('usage', `"${named}" is too little of an id of a run`);
  const [ofSite] = named.includes('.') ? named.split('.') : [site];
  const { jobs } = await client.ask('GET /jobs', { site: ofSite, query: { limit: String(LOOKED_AT) } });
  const found = jobs.filter(
    ({ id }) => id.startsWith(named) || id.split('.')[1]?.startsWith(named) || id.endsWith(named),
  );
  const [only, ...others] = found;
  if (only === undefined) throw new Failure('notFound', `No run has the id "${named}". See: lanreach runs list`);
  if (others.length === 0) return only.id;
  throw new Failure('usage', `ambiguous: the ids of ${found.length} runs begin or end with "${named}"`);
}

function row(job: Job): Cell[] {
  return [commandOf(job), resultOf(job), time(job.createdAt), job.agent, muted(job.id)];
}

function jobText(job: Job): Text {
  const { id, agent, message, createdAt, startedAt, endedAt, output } = job;
  const head = fields({
    run: commandOf(job),
    result: stateOf(job),
    ...(message === null ? {} : { message }),
    agent,
    created: time(createdAt),
    started: time(startedAt),
    ended: time(endedAt),
    id: muted(id),
  });
  return output === null || output === '' ? head : [head, '\n', withLineEnd(output)];
}

/** The tool and its arguments. */
export function commandOf({ tool, request }: Job): string {
  const fields = Object.entries(request).flatMap(([name, value]) => (name === 'tool' ? [] : [`${name}=${value}`]));
  return [tool, ...fields].join(' ');
}

/** The last known state: while its agent is away, there is no newer one. */
export function stateOf({ state: known, reason, agentOfflineSince }: Job): Cell {
  if (agentOfflineSince !== null) return [state(known), ' (agent offline since ', time(agentOfflineSince), ')'];
  return reason === null || reason === known ? state(known) : [state(known), ` (${reason})`];
}

/** With what it has found. */
function resultOf(job: Job): Cell {
  const found = foundBy(job);
  return found === '' ? stateOf(job) : [stateOf(job), `, ${found}`];
}

/** The result of a run in a few words; empty where there is none that is so short. */
export function foundBy({ tool, summary }: Pick<Job, 'tool' | 'summary'>): string {
  if (summary === null) return '';
  if (tool === 'arpscan' && summary.devices !== undefined) return `${summary.devices} devices online`;
  if (tool !== 'nmap' || summary.openPorts === undefined) return '';
  return `${summary.openPorts} open ports on ${summary.hosts ?? 0} hosts`;
}
