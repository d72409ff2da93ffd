/** Whether a TCP port accepts connections, and how fast. */
import { connect } from 'node:net';
import { codeOf } from '../../shared/errno.ts';
import type { Reason } from '../../shared/reasons.ts';
import { ANSWER_WITHIN_MS, answered, type Finding, unanswered } from './finding.ts';

/** @param address a literal that the policy allows */
export function tcp(address: string, port: number, signal: AbortSignal): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, signal });
    const startedAt = performance.now(); // Node.js connects in the next tick.
    const end = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    const silent: Reason = { code: 'port-silent', values: { port, seconds: ANSWER_WITHIN_MS / 1000 } };
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(unanswered(silent)));
    socket.once('connect', () => end(answered(performance.now() - startedAt)));
    // Not `once`: an error may follow the end.
    socket.on('error', (error) => end(unanswered(networkFault(error, port))));
  });
}

const FAULTS = {
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-reset',
  EHOSTUNREACH: 'host-unreachable',
  ENETUNREACH: 'network-unreachable',
  ETIMEDOUT: 'no-answer',
  EPIPE: 'connection-closed',
} as const;

/** Why a connection failed. @param port where the reason is to name it */
export function networkFault(error: Error, port?: number): Reason {
  const code = FAULTS[codeOf(error) as keyof typeof FAULTS];
  if (code === undefined) return { code: 'connection-failed', values: { message: error.message, port } };
  return { code, values: { port } };
}
