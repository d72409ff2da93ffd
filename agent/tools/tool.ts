/** The agent's side of a tool: its section of the policy, and its run. */
import * as z from 'zod';
import type { CommandOf, Tool, ToolResult } from '../../shared/tools/list.ts';
import type { Attachment } from '../host/network.ts';
import type { RunProcess } from '../host/run-process.ts';

/** `Section` is the schema of its section in the policy file. A tool whose commands have arguments must have `check`. */
export type AgentTool<T extends Tool = Tool, Section extends Rules = Rules> = Runner<T, Section> &
  (keyof CommandOf<T> extends 'tool' ? Partial<Guard<T, Section>> : Guard<T, Section>);

interface Guard<T extends Tool, Section extends Rules> {
  /** Why the rules deny a command; null when they allow it. Not called for a disabled tool. */
  check(rules: z.output<Section>, command: CommandOf<T>, host: Attachment): Refusal | null;
}

interface Runner<T extends Tool, Section extends Rules> {
  /** The operator's rules. Absent fields have defaults. */
  rules: Section;
  describe?(rules: z.output<Section>): string;
  /** @throws {ToolFailure} when the command fails */
  run(command: CommandOf<T>, context: ToolContext<z.output<Section>>): Promise<ToolAnswer<ToolResult<T>>>;
}

type Rules = z.ZodObject<{ enabled: z.ZodDefault<z.ZodBoolean> }, z.core.$strict>;

/** The rules of a tool without a target. */
export const Switch = z.strictObject({ enabled: z.boolean().default(true) });

export interface Refusal {
  reason: 'target_not_allowed' | 'invalid_target';
  /** One sentence for the caller. */
  message: string;
}

export function notAllowed(message: string): Refusal {
  return { reason: 'target_not_allowed', message };
}

export function invalid(message: string): Refusal {
  return { reason: 'invalid_target', message };
}

export interface ToolContext<ToolRules = z.output<Rules>> {
  run: RunProcess;
  rules: ToolRules;
  /** Aborted when the command is cancelled or times out; the tool must then stop at once. */
  signal: AbortSignal;
  /** To be called with complete lines, with their line ends, as the tool prints them. */
  onOutput(text: string): void;
  /** `percent` is null when it is unknown. */
  onProgress(phase: string, percent: number | null): void;
  settings: ToolSettings;
}

export interface ToolSettings {
  /** Returns JSON with ip, city, country and org; null = the public providers. */
  internetInfoUrl: string | null;
  /** Base URL of a LibreSpeed-compatible server; null = the public provider. */
  speedtestServer: string | null;
  /** Whether programs may use raw sockets although the agent is not root. */
  rawSockets: boolean;
  /** Scans after one in progress. @throws {ToolFailure} `discovery_off`, or `tool_failed` when it can see nothing */
  scanNetworks(signal: AbortSignal): Promise<ToolResult<'arpscan'>>;
  /** Provided by discovery, which tools do not import. */
  searchFor: SearchFor;
  /** How long to watch for a woken device; by default as long as the tool declares. */
  wakeWatchMs?: number;
  /** For temporary files of programs; by default that of the system. */
  scratchDirectory?: string;
}

/**
 * @param lastIp the last known IPv4 address of the device
 * @throws {ToolFailure} when this host has no network to search, or its policy allows none
 */
export type SearchFor = (
  mac: string,
  lastIp: string | null,
  means: Pick<ToolContext, 'run' | 'signal'>,
) => Promise<DeviceSearch>;

/** The search for one device in the networks of this host. */
export interface DeviceSearch {
  /** The searched addresses, such as `192.168.1.20 and 192.168.1.0/24`. */
  where: string;
  /** Whether its last address is in a network of this host. */
  knowsAddress: boolean;
  /**
   * Searches the kernel's neighbour table, the last address if it is known and, with `everywhere`, whole networks. Rejects
   * when the command is stopped.
   * @param since by `performance.now()`: earlier answers do not count
   * @returns the address that answered; null without an answer, also after a failure
   */
  scan(since: number, everywhere: boolean, withinMs: number): Promise<string | null>;
  /** Why all searches so far failed; null after the first that worked. */
  readonly problem: string | null;
}

export interface ToolAnswer<Result = ToolResult> {
  /** The output of the tool, unchanged. Begins with everything that was passed to `onOutput`. */
  output: string;
  truncated: boolean;
  result: Result;
}
