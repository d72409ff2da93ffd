/** The agent as its users run it: the bundled program in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bundleProgram } from '../bundle-program.ts';

/** As `test/tools-setup.ts` has built it. */
export const AGENT_PROGRAM = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent.js');

/** Bundles the program, or the one for tests that dies at a given moment, into a folder; gives its path. */
export async function bundleAgent(folder: string, entry = '../../../agent/main.ts'): Promise<string> {
  return bundleProgram(join(import.meta.dirname, entry), folder);
}

export type AgentProcess = ReturnType<typeof startAgentProcess>;

export function startAgentProcess(
  program: string,
  args: string[],
  environment: Record<string, string>,
  input?: string,
  user: { uid?: number; gid?: number } = {},
) {
  const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: 'pipe', ...user });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, 'close').then(([code, signal]): { code: number | null; signal: NodeJS.Signals | null } => {
    return { code, signal };
  });
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
