/** Whether a TCP port accepts connections, and how fast. */
import { connect } from 'node:net';
import { codeOf } from '../../shared/errno.ts';
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
    const late = `port ${port} does not answer within ${ANSWER_WITHIN_MS / 1000} s`;
    socket.setTimeout(ANSWER_WITHIN_MS, () => end(unanswered(late)));
    socket.once('connect', () => end(answered(performance.now() - startedAt)));
    // Not `once`: an error may follow the end.
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

export function networkFault(error: Error): string {
  return FAULTS[codeOf(error)] ?? error.message;
}
