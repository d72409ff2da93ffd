/** All tools by their names. */
import type { Command, Tool } from '../../shared/agent/messages.ts';
import type { RunProcess } from '../run-process.ts';
import { interfaces } from './interfaces.ts';
import { internetInfo } from './internet-info.ts';
import { nmap } from './nmap.ts';
import { nslookup } from './nslookup.ts';
import { speedtest } from './speedtest.ts';
import { type RunTool, type ToolAnswer, type ToolContext, ToolFailure } from './tool.ts';
import { traceroute } from './traceroute.ts';
import { wakeOnLan } from './wake-on-lan.ts';

export const TOOLS: { [T in Tool]: RunTool<T> } = {
  wakeonlan: wakeOnLan,
  traceroute,
  speedtest,
  nslookup,
  nmap,
  internetinfo: internetInfo,
  interfaces,
};

/** Runs any command with its tool. */
export function runTool(command: Command, context: ToolContext): Promise<ToolAnswer<Tool>> {
  return toolOf(command.tool)(command, context);
}

/** With the name of the tool as a type parameter the compiler sees that tool and command belong together. */
function toolOf<T extends Tool>(tool: T): RunTool<T> {
  return TOOLS[tool];
}

/** Programs that tools cannot do without, how to ask them for their version, and what they answer. */
const PROGRAMS: Readonly<Record<string, { args: readonly string[]; version: RegExp }>> = {
  nmap: { args: ['--version'], version: /Nmap version (\S+)/ },
  traceroute: { args: ['--version'], version: /version (\S+)|(BusyBox v\S+)|traceroute \(GNU inetutils\) (\S+)/ },
  ip: { args: ['-V'], version: /iproute2-([^\s,]+)|(BusyBox v\S+)/ },
};

/** The version of each program that the tools need; null where it is not installed. */
export async function detectTools(run: RunProcess): Promise<Record<string, string | null>> {
  const found = Object.entries(PROGRAMS).map(async ([program, { args, version }]) => {
    try {
      const { stdout, stderr } = await run(program, args, { timeoutMs: 5_000, maxBytes: 10_000 });
      const match = version.exec(stdout + stderr);
      return [program, match?.slice(1).find((group) => group !== undefined) ?? 'unknown version'] as const;
    } catch (error) {
      if (error instanceof ToolFailure) return [program, null] as const;
      throw error;
    }
  });
  return Object.fromEntries(await Promise.all(found));
}
