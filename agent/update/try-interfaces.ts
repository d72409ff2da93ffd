/** The command by which a program on trial shows that it runs commands: it lists the interfaces, and tells nobody. */
import { limitsOf } from '../../shared/tools/list.ts';
import type { RunProcess } from '../host/run-process.ts';
import type { AgentPolicy } from '../jobs/policy.ts';
import { type RunAnyTool, runCommand } from '../jobs/run-command.ts';
import type { ToolSettings } from '../tools/tool.ts';

const COMMAND = { tool: 'interfaces' } as const;

/** @returns why it failed; null when it worked, or when the host lacks the program for it */
export async function tryInterfaces(
  runTool: RunAnyTool,
  { run, policy, settings }: { run: RunProcess; policy: AgentPolicy; settings: ToolSettings },
  signal: AbortSignal,
): Promise<string | null> {
  const silent = { onOutput() {}, onProgress() {} };
  let defect: unknown = null;
  const { state, reason, message } = await runCommand(
    runTool,
    COMMAND,
    { run, rules: policy.interfaces, settings, ...silent },
    { limitMs: limitsOf(COMMAND).runMs, stop: signal, onDefect: (error) => (defect = error) },
  );
  if (state === 'succeeded' || reason === 'tool_missing') return null;
  return defect instanceof Error ? `${message}: ${defect.message}` : message;
}
