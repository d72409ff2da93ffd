/** `lanreach runs …` */
import { type CommandOptions, Option } from 'commander';
import type { Job } from '../../shared/api/jobs.ts';
import type { Tool } from '../../shared/tools/list.ts';
import { JOB_STATES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { noteUnreadable, type Session } from '../client/session.ts';
import { type Cell, fields, muted, state, type Text, table, time, withLineEnd } from '../client/text.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime } from '../option-values.ts';
import { addExportCommand } from './export.ts';
import { withReason, wordsOf } from './run-text.ts';

interface ListOptions {
  state?: Job['state'];
  tool?: Tool;
  about?: string;
  agent?: string;
  since?: string;
  limit: number;
}

export function addJobCommands(runs: Command): void {
  const withFilters = (command: Command) =>
    command
      .addOption(new Option('--state <state>', 'in this state only').choices(JOB_STATES))
      .option('--tool <tool>', 'of this tool only, such as nmap');
  const ofOne = (name: string, description: string, options?: CommandOptions) =>
    runs
      .part(name, description, options)
      .argument('<run>', 'its id as "runs list" shows it, or enough of its beginning or end')
      .withSite();

  withFilters(runs.part('list', 'list the runs of a site, the newest first').withSite())
    .option('--about <what>', 'whose arguments name this address, range, name or MAC only; several with commas')
    .option('--agent <agent-name>', 'of this agent of the site only')
    .option('--since <time>', `since this time only: ${TIME_EXAMPLES}`, toTime)
    .withLimit()
    .withWatch()
    .run(async (session, { state, tool, about, agent, since, limit }: ListOptions) => {
      const { client, show, note, site } = session;
      const of = agent === undefined ? undefined : await agentIdOf(session, agent);
      const query = { state, tool, about, agent: of, limit: String(limit) };
      const answer = await client.ask('GET /jobs', { site, query });
      const jobs = answer.jobs.filter(({ createdAt }) => since === undefined || createdAt >= since);
      await show({ ...answer, jobs }, () => table(['RUN', 'RESULT', 'WHEN', 'AGENT', 'ID'], jobs.map(row)));
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null && jobs.length === answer.jobs.length)
        note(`These are the newest ${limit}; --limit shows more.`);
    });

  withFilters(addExportCommand(runs, 'the runs of a site, without their output,', 'GET /jobs/export'));

  ofOne('show', 'show a run and its output; "runs <run>" does the same', { isDefault: true }).run(
    async (session, named: string) => {
      const params = { id: await idOf(session, named) };
      const { agentOfflineSince } = await session.request('GET /jobs/{id}', { params }, jobText);
      if (agentOfflineSince === null) return;
      const what = '; the result comes when it is back. The state is the last one known.';
      session.note(['The agent cannot be reached since ', time(agentOfflineSince), what]);
    },
  );

  ofOne('cancel', 'stop a run, and show what it had printed').run(async (session, named: string) => {
    const params = { id: await idOf(session, named) };
    const { agent } = await session.request('DELETE /jobs/{id}', { params }, jobText);
    session.note(`The agent ${agent} has stopped it.`);
  });
}

/** An agent is named within its site; a name of a site stands before it in lists of agents. */
async function agentIdOf({ client, site }: Session, name: string): Promise<string> {
  if (name.includes(':')) return name;
  return `${site ?? (await client.ask('GET /tokens/self')).defaultSite}:${name}`;
}

/** Among how many of the newest runs a part of an id is looked for. */
const LOOKED_AT = 500;
const WHOLE_ID = /^[a-z0-9-]{1,32}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LEAST_CHARACTERS = 4;

async function idOf({ client, site }: Session, named: string): Promise<string> {
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
  return [wordsOf(job), resultOf(job), time(job.createdAt), job.agent, muted(job.id)];
}

function jobText(job: Job): Text {
  const { id, agent, message, createdAt, startedAt, endedAt, output } = job;
  const head = fields({
    run: wordsOf(job),
    result: stateOf(job),
    ...{ message, agent },
    created: time(createdAt),
    started: time(startedAt),
    ended: time(endedAt),
    id: muted(id),
  });
  return output === null || output === '' ? head : [head, '\n', withLineEnd(output)];
}

/** The last known state: while its agent is away, there is no newer one. */
export function stateOf({ state: known, reason, agentOfflineSince }: Job): Cell {
  if (agentOfflineSince !== null) return [state(known), ' (agent offline since ', time(agentOfflineSince), ')'];
  return withReason(known, reason);
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
