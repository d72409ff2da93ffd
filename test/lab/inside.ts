/** Runs the tool in the first argument by the settings in the second (JSON); events are lines of JSON, `cancel` ends it. */

import { searchWithin } from '../../agent/discovery/device-search.ts';
import { createRunProcess } from '../../agent/host/run-process.ts';
import { ToolFailure } from '../../agent/host/tool-failure.ts';
import { parsePolicy } from '../../agent/jobs/policy.ts';
import { detectPrograms, runTool } from '../../agent/tools/registry.ts';
import type { ToolSettings } from '../../agent/tools/tool.ts';
import { Command } from '../../shared/tools/list.ts';
import { TOOL_SETTINGS } from '../support/agent/tool-settings.ts';

/** What is not given is as in `TOOL_SETTINGS`; without a policy, the agent's default one holds. */
export type InsideSettings = Partial<Omit<ToolSettings, 'searchFor'>> & { policy?: object };

/** How it ended is the last line. */
export type InsideEvent =
  | { event: 'output'; text: string }
  | { event: 'progress'; phase: string; percent: number | null }
  | { event: 'answer'; output: string; truncated: boolean; result: unknown }
  | { event: 'failure'; reason: string; message: string; output: string }
  | { event: 'tools'; versions: Record<string, string | null> };

const tell = (event: InsideEvent) => console.log(JSON.stringify(event));

async function main(commandText: string, settingsText: string): Promise<void> {
  const run = createRunProcess();
  if (commandText === 'detect') return tell({ event: 'tools', versions: await detectPrograms(run) });
  const controller = new AbortController();
  process.stdin.on('data', () => controller.abort());
  const { policy = {}, ...given } = JSON.parse(settingsText) as InsideSettings;
  const { discovery, ...policies } = parsePolicy(policy);
  const settings: ToolSettings = { ...TOOL_SETTINGS, searchFor: searchWithin(discovery), ...given };
  const context = {
    run,
    signal: controller.signal,
    settings,
    onOutput: (text: string) => tell({ event: 'output', text }),
    onProgress: (phase: string, percent: number | null) => tell({ event: 'progress', phase, percent }),
  };
  try {
    const command = Command.parse(JSON.parse(commandText));
    const rules = policies[command.tool];
    tell({ event: 'answer', ...(await runTool(command, { ...context, rules })) });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    tell({ event: 'failure', reason: error.reason, message: error.message, output: error.output });
  }
}

await main(process.argv[2] ?? '', process.argv[3] ?? '{}');
process.exit(0);
