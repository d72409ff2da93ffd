/** Commands that an agent runs in the LAN of a site: one for each tool, such as `lanreach traceroute`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import * as z from 'zod';
import type { Client, Question, StreamedEvent } from '../../client/client.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { AnyTool } from '../../shared/tools/tool.ts';
import { isFinal } from '../../shared/words.ts';
import { Failure, failureOf, nameFields } from '../client/failure.ts';
import { CHECK_INTERVAL_MS, isRefusedForNow, until } from '../client/patience.ts';
import { progressLine } from '../client/progress-line.ts';
import type { Session } from '../client/session.ts';
import { type Text, table, withLineEnd } from '../client/text.ts';
import type { Command } from '../command.ts';

/** The API holds a request for 280 s at most, and then answers with the job. */
const HELD_MS = 295_000;
/** How long one request waits for the end of a job. */
const WAIT_S = 20;
/** No tool runs for longer than a quarter of an hour. */
const GIVE_UP_AFTER_MS = 20 * 60_000;

/** Adds the command of a tool to the command line, as the tool declares it. */
export function addToolCommand(command: Command, tool: AnyTool): void {
  const body = addToolArguments(command.withSite().withAgent(), tool);
  command.run((session) => runTool(session, tool, command.opts<{ agent?: string }>().agent, body()));
}

/**
 * Adds the arguments of a tool to a command, those that it has on the command line.
 * @returns the body of a request with their values, once they are there; undefined for a tool without arguments
 */
export function addToolArguments(command: Command, tool: AnyTool): () => object | undefined {
  /** What the command line calls the fields of the body. */
  const names = new Map<string, string>();
  /** How to get the value of each from commander. */
  const values = new Map<string, () => unknown>();
  for (const { schema, field, cli } of Object.values(tool.arguments)) {
    if (cli === undefined) continue;
    if ('argument' in cli) {
      const place = command.registeredArguments.length;
      command.argument(cli.argument, cli.description);
      names.set(field, cli.argument);
      values.set(field, () => command.processedArgs[place]);
      continue;
    }
    const option = new Option(cli.option).default(cli.default);
    const core = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    if (core instanceof z.ZodEnum) option.choices(core.options.map(String));
    command.addOption(option);
    names.set(field, option.long ?? field);
    values.set(field, () => command.getOptionValue(option.attributeName()));
  }
  nameFields(command, names);
  return () =>
    values.size === 0 ? undefined : Object.fromEntries([...values].map(([field, value]) => [field, value()]));
}

/**
 * Runs a command and waits for its end, even if that takes longer than one request. What it prints is shown as it comes,
 * unless the answer is wanted as JSON or as a table.
 */
export async function runTool(
  session: Session,
  tool: AnyTool,
  agent: string | undefined,
  body: object | undefined,
): Promise<void> {
  const { client, show, note, isJson, site } = session;
  const call: Call = { site, params: { tool: tool.name }, query: { agent }, body };
  if (tool.cli === undefined && !isJson) return runLive(session, call);
  const outcome = await client.run(routeOf(call), { ...call, timeoutMs: HELD_MS });
  if ('answer' in outcome) return show(outcome.answer, () => textOf(tool, outcome.answer as Answer));
  note(`The command is still running. To see its result later: lanreach runs ${outcome.job.id}`);
  const job = await untilEnded(client, outcome.job.id);
  await show(job, () => withLineEnd(job.output ?? ''));
  checkSuccess(job);
}

type Call = Question<'POST /nettools/{tool}'>;

const routeOf = ({ body }: Call) => (body === undefined ? 'GET /nettools/{tool}' : 'POST /nettools/{tool}');

function checkSuccess({ tool, state, message, reason }: Job): void {
  if (state === 'succeeded') return;
  const why = message ?? reason;
  const what = state === 'failed' ? `Cannot run ${tool}` : `The command ended as ${state}`;
  throw new Failure('failure', `${what}${why === null ? '' : `: ${why}`}`);
}

type Accepted = { id: string };
type OutputPiece = { at: number; text: string };
type Progress = { phase: string; percent: number | null };

/**
 * The events of a new command until its result, over as many streams as that takes: the API ends each after two minutes,
 * or at once where it has no place to wait.
 */
async function* eventsUntilResult(client: Client, call: Call): AsyncGenerator<StreamedEvent> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  let id: string | null = null;
  let lastEventId = '';
  let stream = client.follow(routeOf(call), '', call);
  for (;;) {
    let retryMs = CHECK_INTERVAL_MS;
    try {
      for await (const one of stream) {
        if (one.event === 'accepted') id ??= (one.data as Accepted).id;
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
    stream = client.follow('GET /jobs/{id}/events', lastEventId, { params: { id } });
  }
}

/**
 * Runs a command and shows its output as it comes, and on a terminal how far it is. Where the connection breaks, its job
 * is looked up until it ends. Ctrl-C stops the command.
 */
async function runLive({ client, write, note, world }: Session, call: Call): Promise<void> {
  const line = progressLine(world.stderr);
  let id: string | null = null;
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
    await client.ask('DELETE /jobs/{id}', { params: { id } });
    note('The command was stopped.');
  });
  try {
    for await (const { event, data } of eventsUntilResult(client, call)) {
      if (event === 'accepted') id ??= (data as Accepted).id;
      if (event === 'output') {
        const { at, text } = data as OutputPiece;
        print(at, text);
      }
      if (event === 'progress') {
        const { phase, percent } = data as Progress;
        line.show(phase, percent);
      }
      if (event === 'result') job = data as Job;
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

type Answer = Record<string, unknown> & { output?: string | string[] };

function textOf({ cli }: AnyTool, answer: Answer): Text {
  if (cli !== undefined) {
    const [headings = [], ...rows] = cli.table(answer);
    return table(headings, rows);
  }
  const { output = '' } = answer;
  return withLineEnd(typeof output === 'string' ? output : output.join('\n'));
}

/** Waits for the end of a job, and returns it as it is then. */
export function untilEnded(client: Client, id: string): Promise<Job> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  return until(async () => {
    if (Date.now() > giveUpAt)
      throw new Failure('failure', `The job ${id} has not ended in time; to see it later: lanreach runs ${id}`);
    const job = await client.ask('GET /jobs/{id}', { params: { id }, query: { wait: String(WAIT_S) } });
    return isFinal(job.state) ? job : null;
  });
}
