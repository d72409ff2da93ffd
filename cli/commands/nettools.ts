/** Commands that an agent runs in the LAN of a site: one for each tool, such as `lanreach traceroute`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import type { Client, Question, StreamedEvent } from '../../client/client.ts';
import { ApiError, ConnectionError } from '../../client/errors.ts';
import { isFinal } from '../../shared/agent/messages.ts';
import { Job, jobs } from '../../shared/api/jobs.ts';
import { nettools } from '../../shared/api/nettools.ts';
import type { Operation } from '../../shared/api/operation.ts';
import { JobId } from '../../shared/identity.ts';
import { tools } from '../../shared/tools/list.ts';
import type { AnyTool } from '../../shared/tools/tool.ts';
import { Failure, failureOf, withNames } from '../client/failure.ts';
import { progressLine } from '../client/progress-line.ts';
import { type GlobalOptions, openSession, type Session } from '../client/session.ts';
import { table, withLineEnd } from '../client/text.ts';
import { agentOption, siteOption } from './site-option.ts';

/** The API holds a request for 280 s at most, and then answers with the job. */
const HELD_MS = 295_000;
/** How long one request waits for the end of a job. */
const WAIT_S = 20;
/** Between two requests, however fast the first was answered: the API may have no place for it to wait. */
const CHECK_INTERVAL_MS = 2_000;
/** No tool runs for longer than a quarter of an hour. */
const GIVE_UP_AFTER_MS = 20 * 60_000;
/** The API may be out of reach for so long while a job is waited for. */
export const UNREACHABLE_FOR_MS = 60_000;

export const GROUP = 'On the LAN of a site:';

interface Place {
  site?: string;
  agent?: string;
}

export function addNettoolCommands(program: Command): void {
  for (const [id, tool] of Object.entries(tools)) {
    // It has a command of its own, see wake.ts.
    if (tool !== tools.wakeOnLan) addToolCommand(program, tool, nettools[id as keyof typeof tools]);
  }
}

/** Adds the command of a tool to the command line, as the tool declares it. */
function addToolCommand(program: Command, tool: AnyTool, operation: Operation): void {
  const command = program
    .command(tool.cli.command)
    .description(tool.cli.description)
    .addOption(siteOption())
    .addOption(agentOption())
    .helpGroup(GROUP);
  const names = namesOf(tool);
  /** For each field of the body, how to get its value from commander. */
  const fields = Object.values(tool.arguments).flatMap(({ schema, field, cli }): [string, () => unknown][] => {
    if (cli === undefined) return [];
    if ('argument' in cli) {
      const place = command.registeredArguments.length;
      command.argument(cli.argument, cli.description);
      return [[field, () => command.processedArgs[place]]];
    }
    const option = new Option(cli.option).default(cli.default);
    if (schema instanceof z.ZodEnum) option.choices(schema.options.map(String));
    command.addOption(option);
    return [[field, () => command.getOptionValue(option.attributeName())]];
  });
  command.action(async () => {
    const { site, agent } = command.opts<Place>();
    const body = Object.fromEntries(fields.map(([field, read]) => [field, read()]));
    const question = { site, query: { agent }, ...(fields.length > 0 ? { body } : {}) };
    await runTool(command, tool, operation, question).catch((error: unknown) => {
      throw withNames(error, names);
    });
  });
}

/** What the command line calls the fields of the body. */
function namesOf(tool: AnyTool): Map<string, string> {
  const named = Object.values(tool.arguments).flatMap(({ field, cli }): [string, string][] => {
    if (cli === undefined) return [];
    return [[field, 'argument' in cli ? cli.argument : (/--[\w-]+/.exec(cli.option)?.[0] ?? field)]];
  });
  return new Map(named);
}

/**
 * Runs a command and waits for its end, even if that takes longer than one request. What it prints is shown as it comes,
 * unless the answer is wanted as JSON or as a table.
 */
export async function runTool(
  command: Command,
  tool: AnyTool,
  operation: Operation,
  question: Question<Operation>,
): Promise<void> {
  const session = openSession(command);
  const { client, show, note } = session;
  if (tool.cli.table === undefined && !command.optsWithGlobals<GlobalOptions>().json) {
    return runLive(session, operation, question);
  }
  const outcome = await client.run(operation, { ...question, timeoutMs: HELD_MS });
  if ('answer' in outcome) return show(outcome.answer, () => textOf(tool, outcome.answer as Answer));
  note(`The command is still running. To see its result later: lanreach job ${outcome.job.id}`);
  const job = await untilEnded(client, outcome.job.id);
  show(job, () => withLineEnd(job.output ?? ''));
  checkSuccess(job);
}

function checkSuccess({ tool, state, message, reason }: Job): void {
  if (state === 'succeeded') return;
  const why = message ?? reason;
  const what = state === 'failed' ? `Cannot run ${tool}` : `The command ended as ${state}`;
  throw new Failure('failure', `${what}${why === null ? '' : `: ${why}`}`);
}

const Accepted = z.object({ id: JobId });
const OutputPiece = z.object({ at: z.int(), text: z.string() });
const Progress = z.object({ phase: z.string(), percent: z.number().nullable() });

/**
 * The events of a new command until its result, over as many streams as that takes: the API ends each after two minutes,
 * or at once where it has no place to wait.
 */
async function* eventsUntilResult(
  client: Client,
  operation: Operation,
  question: Question<Operation>,
): AsyncGenerator<StreamedEvent> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  let id: JobId | null = null;
  let lastEventId = '';
  let stream = client.follow(operation, '', question);
  for (;;) {
    let retryMs = CHECK_INTERVAL_MS;
    try {
      for await (const one of stream) {
        if (one.event === 'accepted') id ??= Accepted.parse(one.data).id;
        lastEventId = one.id ?? lastEventId;
        retryMs = one.retryMs ?? retryMs;
        yield one;
        if (one.event === 'result') return;
      }
    } catch (error) {
      if (id === null || !isRefusedForNow(error)) throw error;
    }
    if (id === null || Date.now() > giveUpAt) return;
    await sleep(retryMs * (0.5 + Math.random()));
    stream = client.follow(jobs.followJob, lastEventId, { params: { id } });
  }
}

/**
 * Runs a command and shows its output as it comes, and on a terminal how far it is. Where the connection breaks, its job
 * is looked up until it ends. Ctrl-C stops the command.
 */
async function runLive(
  { client, write, note }: Session,
  operation: Operation,
  question: Question<Operation>,
): Promise<void> {
  const line = progressLine(process.stderr);
  let id: JobId | null = null;
  let job: Job | null = null;
  let shown = 0;
  const print = (at: number, text: string) => {
    line.clear();
    write(text.slice(Math.max(0, shown - at)), false);
    shown = Math.max(shown, at + text.length);
  };
  const interrupt = onInterrupt(async () => {
    line.clear();
    if (id === null) return;
    await client.ask(jobs.cancelJob, { params: { id } });
    note('The command was stopped.');
  });
  try {
    for await (const { event, data } of eventsUntilResult(client, operation, question)) {
      if (event === 'accepted') id ??= Accepted.parse(data).id;
      if (event === 'output') {
        const { at, text } = OutputPiece.parse(data);
        print(at, text);
      }
      if (event === 'progress') {
        const { phase, percent } = Progress.parse(data);
        line.show(phase, percent);
      }
      if (event === 'result') job = Job.parse(data);
    }
  } catch (error) {
    const failure = failureOf(error);
    if (id === null || failure?.ending !== 'failure') throw error;
    line.clear();
    note(`${failure.message}; waiting for the end of the job ${id}`);
  }
  if (job === null) {
    if (id === null) throw new Failure('failure', 'The stream has ended before the command was accepted');
    job = await untilEnded(client, id);
    print(0, job.output ?? '');
  }
  line.clear();
  await interrupt.finished();
  if (shown > 0 && !job.output?.endsWith('\n')) write('\n', false);
  checkSuccess(job);
}

/** As shells expect it of a program that SIGINT has ended. */
const INTERRUPTED = 130;

/**
 * Does something at the first Ctrl-C, and then ends the process; the second one ends it at once.
 * @returns `finished` stops this; where there was a Ctrl-C, it does not return, because the process ends
 */
function onInterrupt(act: () => Promise<void>): { finished(): Promise<void> } {
  let ending: Promise<never> | null = null;
  const end = async () => {
    await act().catch((error) => process.stderr.write(`lanreach: ${failureOf(error)?.message ?? error}\n`));
    return process.exit(INTERRUPTED);
  };
  const listener = () => {
    ending = end();
  };
  process.once('SIGINT', listener);
  return {
    async finished() {
      process.off('SIGINT', listener);
      await ending;
    },
  };
}

/** The client has validated it with the schema of the tool's response. */
type Answer = Record<string, unknown> & { output?: string | string[] };

function textOf({ cli }: AnyTool, answer: Answer): string {
  if (cli.table !== undefined) {
    const [headings = [], ...rows] = cli.table(answer);
    return table(headings, rows);
  }
  const { output = '' } = answer;
  return withLineEnd(typeof output === 'string' ? output : output.join('\n'));
}

/** Waits for the end of a job, and returns it as it is then. */
export async function untilEnded(client: Client, id: JobId): Promise<Job> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  let answeredAt = Date.now();
  for (;;) {
    if (Date.now() > giveUpAt)
      throw new Failure('failure', `The job ${id} has not ended in time; to see it later: lanreach job ${id}`);
    const next = sleep(CHECK_INTERVAL_MS);
    try {
      const job = await client.ask(jobs.getJob, { params: { id }, query: { wait: String(WAIT_S) } });
      if (isFinal(job.state)) return job;
      answeredAt = Date.now();
    } catch (error) {
      const isBroken = error instanceof ConnectionError && Date.now() - answeredAt < UNREACHABLE_FOR_MS;
      if (!isBroken && !isRefusedForNow(error)) throw error;
    }
    await next;
  }
}

/** Whether a later request may succeed, although this one was refused. */
export function isRefusedForNow(error: unknown): boolean {
  return error instanceof ApiError && ['unavailable', 'busy', 'too_many_requests'].includes(error.code);
}
