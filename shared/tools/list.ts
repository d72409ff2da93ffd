/** All tools, each under the id of its API operation. */
import * as z from 'zod';
import { arpscan } from './arpscan.ts';
import { interfaces } from './interfaces.ts';
import { internetInfo } from './internet-info.ts';
import { nmap, withProtocol } from './nmap.ts';
import { nslookup } from './nslookup.ts';
import { speedtest } from './speedtest.ts';
import type { ResultSummary } from './summary.ts';
import type { AnyTool, CommandLimits, Program } from './tool.ts';
import { traceroute } from './traceroute.ts';
import { wakeOnLan } from './wake-on-lan.ts';

export const tools = { wakeOnLan, traceroute, speedtest, nslookup, nmap, internetInfo, interfaces, arpscan };

export type DeclaredTool = (typeof tools)[keyof typeof tools];
/** The name of a tool. */
export type Tool = DeclaredTool['name'];
type DeclarationOf<T extends Tool> = Extract<DeclaredTool, { name: T }>;
/** The parsed output of a tool: the field `result` of jobs and messages. */
export type ToolResult<T extends Tool = Tool> = z.output<DeclarationOf<T>['result']>;

const declared = Object.values(tools) as [DeclaredTool, ...DeclaredTool[]];

export const TOOLS = declared.map(({ name }) => name) as [Tool, ...Tool[]];
export const Tool = z.enum(TOOLS);

export function byTool<Value>(of: (tool: DeclaredTool) => Value): Record<Tool, Value> {
  return Object.fromEntries(declared.map((tool) => [tool.name, of(tool)])) as Record<Tool, Value>;
}

/** The declaration of each tool by its name. */
export const TOOL: Record<Tool, AnyTool> = byTool((tool): AnyTool => tool);

/** @param result as the schema of the tool has parsed it; null when there is none */
export function summaryOf(tool: Tool, result: ToolResult | null): ResultSummary | null {
  return result === null ? null : TOOL[tool].summarise(result);
}

/** One command for an agent: the name of the tool, and its arguments as parsed values. */
export const Command = z.discriminatedUnion(
  'tool',
  declared.map(({ command }) => command) as [DeclaredTool['command'], ...DeclaredTool['command'][]],
);
export type Command = z.output<typeof Command>;

export function limitsOf(command: Command): CommandLimits {
  const tool = TOOL[command.tool];
  return tool.limitsOf?.(command) ?? tool.limits;
}

/** The JSON of a command, as it is sent, stored and shown. Its targets are texts, not parsed. */
export const CommandJson = z.discriminatedUnion(
  'tool',
  declared.map(({ commandJson }) => commandJson) as [DeclaredTool['commandJson'], ...DeclaredTool['commandJson'][]],
);
export type CommandJson = z.output<typeof CommandJson>;
/** A stored command, perhaps of an earlier version. */
export const StoredCommand = z.preprocess(withProtocol, CommandJson);
export type CommandOf<T extends Tool> = Extract<Command, { tool: T }>;

/** The best programs for discovery, which has fallbacks. */
export const DISCOVERY_PROGRAMS: Readonly<Record<string, Program>> = {
  'arp-scan': { package: 'arp-scan', versionArgs: ['--version'], version: /arp-scan (\S+)/ },
  tcpdump: { package: 'tcpdump', versionArgs: ['--version'], version: /tcpdump version (\S+)/ },
  ping: { package: 'iputils-ping', versionArgs: ['-V'], version: /iputils[ -]s?(\S+)/ },
};

/** The programs that tools require, and those of discovery, by name. */
export const PROGRAMS: Readonly<Record<string, Program>> = Object.assign(
  {},
  ...declared.map(({ programs }) => programs),
  DISCOVERY_PROGRAMS,
);

/** Programs that the agent uses for every tool, with their Debian packages. */
const OWN_PROGRAMS: Readonly<Record<string, string>> = { setpriv: 'util-linux' };

/** Every program that the agent runs. */
export const ALL_PROGRAMS: readonly string[] = [...Object.keys(PROGRAMS), ...Object.keys(OWN_PROGRAMS)];

/** The Debian package that contains a program. */
export function packageOf(program: string): string {
  return PROGRAMS[program]?.package ?? OWN_PROGRAMS[program] ?? program;
}
