/** `lanreach run <tool> …`: a tool at many sites at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import { type Batch, MAX_AT_ONCE, USUAL_AT_ONCE } from '../../shared/api/batches.ts';
import { TOOL_COMMANDS, TOOL_KEYS, type ToolKey } from '../../shared/tools/commands.ts';
import { tools } from '../../shared/tools/list.ts';
import type { AnyTool } from '../../shared/tools/tool.ts';
import { Failure, failureOf } from '../client/failure.ts';
import { CHECK_INTERVAL_MS, mayPass } from '../client/patience.ts';
import { progressLine } from '../client/progress-line.ts';
import type { Session } from '../client/session.ts';
import type { Command } from '../command.ts';
import { countUpTo, listFrom } from '../option-values.ts';
import { standText } from './batch-text.ts';
import { showBatch } from './batches.ts';
import { addToolArguments } from './nettools.ts';

interface RunOptions {
  sites: '*' | string[];
  agent?: string;
  atOnce?: number;
  maxFailures?: number | string;
  compare?: boolean;
}

export function addRunCommands(run: Command): void {
  for (const key of TOOL_KEYS) addRunCommand(run, key);
}

function addRunCommand(run: Command, key: ToolKey): void {
  const tool: AnyTool = tools[key];
  const { command: name, description } = TOOL_COMMANDS[key];
  const command = run.part(name, `${description}, at many sites`);
  // Of the one that is made by hand, what cannot be left out.
  if (tool.name === tools.wakeOnLan.name) command.argument('<mac>');
  const declared = addToolArguments(command, tool);
  const body = () => (tool.name === tools.wakeOnLan.name ? { devMac: command.processedArgs[0] } : declared());
  command
    .addOption(
      new Option('--sites <sites>', 'which: "all", or ids and tag:<tag>, separated by commas')
        .argParser((text) => (text === 'all' || text === '*' ? '*' : listFrom(text)))
        .makeOptionMandatory(),
    )
    .option('--agent <agent-name>', 'the agent of that name at each site; default: one is chosen')
    .option(
      '--at-once <number>',
      `how many sites run it at the same time, 1 to ${MAX_AT_ONCE}; default: ${USUAL_AT_ONCE}`,
      countUpTo(MAX_AT_ONCE),
    )
    .option('--max-failures <number>', 'start no further sites when more have failed, such as 5 or 10%', part)
    .option('--compare', 'show which sites give a different answer, and the spread of numbers')
    .run(async (session) => {
      const { sites, agent, atOnce, maxFailures, compare = false } = command.opts<RunOptions>();
      const what = { tool: tool.name as Batch['tool'], arguments: (body() ?? {}) as Record<string, string> };
      const wanted = { ...what, sites, agent, atOnce, maxFailures };
      const started = await session.client.ask('POST /batches', { body: wanted });
      session.note(`${started.total} sites. To see it later: lanreach batches show ${started.id}`);
      await untilEnded(session, started);
      const batch = await showBatch(session, started.id, compare);
      if (batch.counts.succeeded < batch.total) throw new Failure('failure', 'Not every site has succeeded');
    });
}

/** Shows how far a batch is until it has ended. The first Ctrl-C stops it; after that, one ends the program. */
async function untilEnded({ client, note, world }: Session, { id, total }: Batch): Promise<void> {
  const line = progressLine(world.stderr);
  const show = (batch: Batch) => {
    const { waiting, running } = batch.counts;
    line.show(standText(batch), (100 * (total - waiting - running)) / Math.max(1, total));
  };
  const stop = () => {
    line.clear();
    note('Cancelling the running commands. Ctrl-C again leaves them running.');
    client.ask('DELETE /batches/{id}', { params: { id } }).catch((error: unknown) => {
      note(`It could not be stopped: ${failureOf(error)?.message ?? error}`);
    });
  };
  process.once('SIGINT', stop);
  let heardAt = Date.now();
  try {
    for (;;) {
      let retryMs = CHECK_INTERVAL_MS;
      try {
        for await (const one of client.follow('GET /batches/{id}/events', '', { params: { id } })) {
          heardAt = Date.now();
          retryMs = one.retryMs ?? retryMs;
          if (one.event === 'batch') show(one.data as Batch);
          if (one.event === 'result') return;
        }
      } catch (error) {
        if (!mayPass(error, heardAt)) throw error;
      }
      await sleep(retryMs * (0.5 + Math.random()));
    }
  } finally {
    process.off('SIGINT', stop);
    line.clear();
  }
}

function part(text: string): number | string {
  if (/^\d{1,3}%$/.test(text)) return text;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number of sites, or a percentage such as 10%.');
}
