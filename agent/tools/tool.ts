/** What a tool is to the agent: what the policy may say of it, and one run with the answer read from it. One file for each. */
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
  /** Why the rules refuse a command; null when they do not. Not asked when the tool is switched off. */
  check(rules: z.output<Section>, command: CommandOf<T>, host: Attachment): Refusal | null;
}

interface Runner<T extends Tool, Section extends Rules> {
  /** What the operator may allow and forbid. What is left out of the file has its default. */
  rules: Section;
  /** The rules in a few words for a person. */
  describe?(rules: z.output<Section>): string;
  /** @throws {ToolFailure} when the command could not be carried out */
  run(command: CommandOf<T>, context: ToolContext<z.output<Section>>): Promise<ToolAnswer<ToolResult<T>>>;
}

type Rules = z.ZodObject<{ enabled: z.ZodDefault<z.ZodBoolean> }, z.core.$strict>;

/** The rules of a tool that takes no target: it may be switched off. */
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

/** What lies outside a tool. */
export interface ToolContext<ToolRules = z.output<Rules>> {
  run: RunProcess;
  /** The tool's section of the policy: what it leaves out of a target depends on it. */
  rules: ToolRules;
  /** Aborted when the command is cancelled or has reached the agent's own limit; the tool then ends at once. */
  signal: AbortSignal;
  /** Complete lines, with their line ends, as the tool prints them. */
  onOutput(text: string): void;
  /** How far the tool is; `percent` is null when it cannot tell. */
  onProgress(phase: string, percent: number | null): void;
  settings: ToolSettings;
}

export interface ToolSettings {
  /** Answers JSON with ip, city, country, org; null = the public providers. */
  internetInfoUrl: string | null;
  /** Base URL of a LibreSpeed-compatible server; null = the public provider. */
  speedtestServer: string | null;
  /** Whether programs of this host may use raw sockets although the agent is not root. */
  rawSockets: boolean;
  /** Where programs may leave files while they run; without one, the system's directory for temporary files. */
  scratchDirectory?: string;
}

export interface ToolAnswer<Result = ToolResult> {
  /** What the tool printed, as it printed it. It begins with all that `onOutput` was given. */
  output: string;
  truncated: boolean;
  result: Result;
}
