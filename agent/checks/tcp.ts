/** Whether a TCP port accepts connections, and after which time. */
import { connect } from 'node:net';
import { codeOf } from '../../shared/errno.ts';
import { answered, type Finding, unanswered } from './finding.ts';

const WITHIN_MS = 5_000;

/** @param address a literal that the policy allows */
export function tcp(address: string, port: number, signal: AbortSignal): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, signal });
    const startedAt = performance.now(); // Node.js connects in the next tick.
    const end = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    socket.setTimeout(WITHIN_MS, () => end(unanswered(`port ${port} does not answer within ${WITHIN_MS / 1000} s`)));
    socket.once('connect', () => end(answered(performance.now() - startedAt)));
    // Stays: an error may come after the end as well.
    socket.on('error', (error) => end(unanswered(`port ${port}: ${networkFault(error)}`)));
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no answer',
  EPIPE: 'the connection was closed',
};

/** Why a connection failed, for a person. */
export function networkFault(error: Error): string {
  return FAULTS[codeOf(error)] ?? error.message;
}
