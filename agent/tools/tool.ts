/** What a tool is to the agent: arguments, one run, and the answer read from it. One file for each. */
import type { CommandOf, Reason, Tool } from '../../shared/agent/messages.ts';
import type { ToolData } from '../../shared/agent/results.ts';
import type { AgentPolicy } from '../policy.ts';
import type { RunProcess } from '../run-process.ts';

/** What lies outside a tool. */
export interface ToolContext {
  run: RunProcess;
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
  /** What scans leave out depends on it. */
  nmapRules: AgentPolicy['nmap'];
  /** Whether programs of this host may use raw sockets although the agent is not root. */
  rawSockets: boolean;
  /** Where programs may leave files while they run; without one, the system's directory for temporary files. */
  scratchDirectory?: string;
}

export interface ToolAnswer<T extends Tool> {
  /** What the tool printed, as it printed it. */
  output: string;
  truncated: boolean;
  data: ToolData<T>;
}

/** @throws {ToolFailure} when the command could not be carried out */
export type RunTool<T extends Tool> = (command: CommandOf<T>, context: ToolContext) => Promise<ToolAnswer<T>>;

/** A command that could not be carried out. What was printed until then is kept. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
  readonly reason: Reason;
  readonly output: string;
  readonly truncated: boolean;

  constructor(reason: Reason, message: string, options: ErrorOptions & { output?: string; truncated?: boolean } = {}) {
    super(message, options);
    this.reason = reason;
    this.output = options.output ?? '';
    this.truncated = options.truncated ?? false;
  }
}
