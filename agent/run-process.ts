/** The only file of the agent that starts processes. */

export interface RunOptions {
  /** Wall-clock limit. Then the whole process group gets TERM, and KILL two seconds later. */
  timeoutMs: number;
  /** Bytes of standard output, and of standard error, that are kept. The process is not stopped when it prints more. */
  maxBytes: number;
  /** Ends the process group in the same way. */
  signal?: AbortSignal;
  /** Complete lines of standard output, without line ends, as they come. */
  onLine?(line: string): void;
  /** Added to the bare environment. */
  env?: Readonly<Record<string, string>>;
}

export interface Finished {
  stdout: string;
  stderr: string;
  /** Exit code; null when a signal ended the process. */
  code: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  aborted: boolean;
  /** Whether more was printed than was kept. */
  truncated: boolean;
}

/**
 * Runs a program to its end and never throws for how it ended.
 * @throws {ToolFailure} `tool_missing` when the program is not installed or may not be executed
 */
export type RunProcess = (program: string, args: readonly string[], options: RunOptions) => Promise<Finished>;
