/** All tools by their names. */
import { type Command, PROGRAMS, type Tool } from '../../shared/tools/list.ts';
import type { Program } from '../../shared/tools/tool.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { RunProcess } from '../host/run-process.ts';
import { nullIfFailed } from '../host/tool-failure.ts';
import { arpscan } from './arpscan.ts';
import { interfaces } from './interfaces.ts';
import { internetInfo } from './internet-info.ts';
import { nmap } from './nmap.ts';
import { nslookup } from './nslookup.ts';
import { speedtest } from './speedtest.ts';
import type { AgentTool, ToolAnswer, ToolContext } from './tool.ts';
import { traceroute } from './traceroute.ts';
import { wakeOnLan } from './wake-on-lan.ts';

export const agentTools = {
  wakeonlan: wakeOnLan,
  traceroute,
  speedtest,
  nslookup,
  nmap,
  internetinfo: internetInfo,
  interfaces,
  arpscan,
} satisfies { [T in Tool]: AgentTool<T> };

export function runTool(command: Command, context: ToolContext): Promise<ToolAnswer> {
  const tool: AgentTool = agentTools[command.tool];
  return tool.run(command, context);
}

export function programsOf(platform: Platform): Readonly<Record<string, Program>> {
  if (platform === 'linux') return PROGRAMS;
  return Object.fromEntries(Object.entries(PROGRAMS).filter(([name]) => ['ping', 'traceroute', 'nmap'].includes(name)));
}

/** @throws {ToolFailure} when the program cannot be started */
export async function versionOf(run: RunProcess, name: string, { versionArgs, version }: Program): Promise<string> {
  const { stdout, stderr } = await run(name, versionArgs, { timeoutMs: 5_000, maxBytes: 10_000 });
  const match = version.exec(stdout + stderr);
  return match?.slice(1).find((group) => group !== undefined) ?? 'unknown version';
}

/** The version of each program of the tools; null if it cannot be started. */
export async function detectPrograms(run: RunProcess, platform = PLATFORM): Promise<Record<string, string | null>> {
  const found = Object.entries(programsOf(platform)).map(
    async ([name, program]) => [name, await nullIfFailed(versionOf(run, name, program))] as const,
  );
  return Object.fromEntries(await Promise.all(found));
}
