/** `lanreach job …` */
import { type Command, Option } from 'commander';
import { JobState } from '../../shared/agent/messages.ts';
import { type Job, jobs } from '../../shared/api/jobs.ts';
import { Tool } from '../../shared/tools/list.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { fields, table, withLineEnd } from '../client/text.ts';
import { addExportCommand, type ExportOptions, runExport } from './export.ts';
import { limitOption } from './limit-option.ts';
import { siteOption } from './site-option.ts';

interface ListOptions {
  site?: string;
  state?: JobState;
  tool?: Tool;
  limit: number;
}

type JobExportOptions = ExportOptions & Pick<ListOptions, 'state' | 'tool'>;

export function addJobCommands(program: Command): void {
  const job = program
    .command('job')
    .description('the state and results of commands')
    .helpGroup('On the LAN of a site:');

  job
    .command('list')
    .description('list the commands of a site, the newest first')
    .addOption(siteOption())
    .addOption(stateOption())
    .addOption(toolOption())
    .addOption(limitOption())
    .action(async ({ site, ...query }: ListOptions, command: Command) => {
      const session = openSession(command);
      const wanted = { ...query, limit: String(query.limit) };
      const answer = await session.client.ask(jobs.listJobs, { site, query: wanted });
      session.show(answer, () => table(['ID', 'COMMAND', 'AGENT', 'STATE', 'CREATED'], answer.jobs.map(row)));
      noteUnreadable(session, answer.unreadable);
      if (answer.nextCursor !== null) session.note(`These are the newest ${query.limit}; --limit shows more.`);
    });

  addExportCommand(job, 'the commands of a site, without their output,')
    .addOption(stateOption())
    .addOption(toolOption())
    .action(async ({ site, since, until, state, tool }: JobExportOptions, command: Command) => {
      const query = { since, until, state, tool };
      await runExport(command, jobs.exportJobs, (format) => ({ site, query: { ...query, format } }));
    });

  job
    .command('show', { isDefault: true })
    .description('show a command and its output; "job <id>" does the same')
    .argument('<job>', 'as "job list" shows it')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, show, note } = openSession(command);
      const found = await client.ask(jobs.getJob, { params: { id } });
      show(found, () => jobText(found));
      if (found.agentOfflineSince !== null) {
        note(
          `The agent cannot be reached since ${found.agentOfflineSince}; the result comes when it is back. The state is the last one known.`,
        );
      }
    });

  job
    .command('cancel')
    .description('stop a command, and show what it had printed')
    .argument('<job>', 'as "job list" shows it')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, show, note } = openSession(command);
      const stopped = await client.ask(jobs.cancelJob, { params: { id } });
      show(stopped, () => jobText(stopped));
      note(`The agent ${stopped.agent} has stopped it.`);
    });
}

function stateOption(): Option {
  return new Option('--state <state>', 'in this state only').choices(JobState.options);
}

function toolOption(): Option {
  return new Option('--tool <tool>', 'of this tool only').choices(Tool.options);
}

function row(job: Job): string[] {
  return [job.id, commandOf(job), job.agent, stateOf(job), job.createdAt];
}

function jobText(job: Job): string {
  const { id, agent, message, createdAt, startedAt, endedAt, output } = job;
  const head = fields({
    id,
    command: commandOf(job),
    agent,
    state: stateOf(job),
    ...(message === null ? {} : { message }),
    created: createdAt,
    started: startedAt ?? '-',
    ended: endedAt ?? '-',
  });
  return output === null || output === '' ? head : `${head}\n${withLineEnd(output)}`;
}

/** The tool and its arguments. */
export function commandOf({ tool, request }: Job): string {
  const asked = Object.entries(request).flatMap(([name, value]) => (name === 'tool' ? [] : [`${name}=${value}`]));
  return [tool, ...asked].join(' ');
}

/** As it was known last: of a command whose agent is away nobody knows more. */
export function stateOf({ state, reason, agentOfflineSince }: Job): string {
  if (agentOfflineSince !== null) return `${state} (agent offline since ${agentOfflineSince})`;
  return reason === null || reason === state ? state : `${state} (${reason})`;
}
