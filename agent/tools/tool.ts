/** The agent's side of a tool: its section of the policy, and how it runs. Each tool has a file of its own. */
import * as z from 'zod';
import type { CommandOf, Tool, ToolResult } from '../../shared/tools/list.ts';
import type { Attachment } from '../host/network.ts';
import type { RunProcess } from '../host/run-process.ts';

/**
 * The agent's side of a tool. `Section` is the schema of its section in the policy file. A tool whose commands have
 * arguments does not compile without `check`.
 */
export type AgentTool<T extends Tool = Tool, Section extends Rules = Rules> = Runner<T, Section> &
  (keyof CommandOf<T> extends 'tool' ? Partial<Judge<T, Section>> : Judge<T, Section>);

interface Judge<T extends Tool, Section extends Rules> {
  /** Why the rules refuse a command; null when they allow it. Not called when the tool is switched off. */
  check(rules: z.output<Section>, command: CommandOf<T>, host: Attachment): Refusal | null;
}

interface Runner<T extends Tool, Section extends Rules> {
  /** What the operator may allow and forbid. Fields left out of the file have defaults. */
  rules: Section;
  /** A short summary of the rules for people. */
  describe?(rules: z.output<Section>): string;
  /** @throws {ToolFailure} when the command fails */
  run(command: CommandOf<T>, context: ToolContext<z.output<Section>>): Promise<ToolAnswer<ToolResult<T>>>;
}

type Rules = z.ZodObject<{ enabled: z.ZodDefault<z.ZodBoolean> }, z.core.$strict>;

/** The rules of a tool without a target: it can be switched off. */
export const Switch = z.strictObject({ enabled: z.boolean().default(true) });

export interface Refusal {
  reason: 'target_not_allowed' | 'invalid_target';
  /** One sentence for the person who asked. */
  message: string;
}

export function notAllowed(message: string): Refusal {
  return { reason: 'target_not_allowed', message };
}

export function invalid(message: string): Refusal {
  return { reason: 'invalid_target', message };
}

/** What a tool may use while it runs. */
export interface ToolContext<ToolRules = z.output<Rules>> {
  run: RunProcess;
  /** The tool's section of the policy; it decides which addresses of a target are left out. */
  rules: ToolRules;
  /** Aborted when the command is cancelled or has reached the agent's own limit; the tool must then stop at once. */
  signal: AbortSignal;
  /** To be called with complete lines, with their line ends, as the tool prints them. */
  onOutput(text: string): void;
  /** To be called with the progress; `percent` is null when it is not known. */
  onProgress(phase: string, percent: number | null): void;
  settings: ToolSettings;
}

export interface ToolSettings {
  /** Returns JSON with ip, city, country and org; null = the public providers. */
  internetInfoUrl: string | null;
  /** Base URL of a LibreSpeed-compatible server; null = the public provider. */
  speedtestServer: string | null;
  /** Whether programs of this host may use raw sockets although the agent is not root. */
  rawSockets: boolean;
  /**
   * Makes a pass of discovery, after the one that may be under way.
   * @throws {ToolFailure} `discovery_off` when there is none, `tool_failed` when nothing can be seen
   */
  lookForDevices(signal: AbortSignal): Promise<ToolResult<'arpscan'>>;
  /** How one device is looked for. Given by discovery, of which tools know nothing. */
  searchFor: SearchFor;
  /** How long a device is watched for after it was sent a packet; by default as long as the tool declares. */
  wakeWatchMs?: number;
  /** Where programs may put temporary files; by default the system's directory for temporary files. */
  scratchDirectory?: string;
}

/**
 * @param lastIp the last IPv4 address of the device, if one is known
 * @throws {ToolFailure} when this host, or its policy, has no place to look for it
 */
export type SearchFor = (
  mac: string,
  lastIp: string | null,
  means: Pick<ToolContext, 'run' | 'signal'>,
) => Promise<DeviceSearch>;

/** The search for one device in the networks of this host. */
export interface DeviceSearch {
  /** The places, such as `192.168.1.20 and 192.168.1.0/24`. */
  where: string;
  /** Whether its last address is in a network of this host. */
  knowsAddress: boolean;
  /**
   * Looks for the device: in what the kernel knows, at its last address if that is known, and everywhere if asked for. Rejects when the command is stopped.
   * @param since by `performance.now()`: answers from before do not count
   * @returns where it has answered; null when it has not, also when the look failed
   */
  look(since: number, everywhere: boolean, withinMs: number): Promise<string | null>;
  /** Why no look has worked so far; null as soon as one has. */
  readonly problem: string | null;
}

export interface ToolAnswer<Result = ToolResult> {
  /** What the tool printed, unchanged. It begins with everything that was passed to `onOutput`. */
  output: string;
  truncated: boolean;
  result: Result;
}
