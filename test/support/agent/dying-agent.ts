/** The agent, which kills itself at a moment in the life of its first request: `<program> <moment> …`. */

import { Journal } from '../../../agent/jobs/journal.ts';
import { BrokerConnection } from '../../../agent/link/broker-connection.ts';
import { UpstreamLog } from '../../../agent/upstream/upstream-log.ts';

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => {});
}

type Methods = Record<string, (...args: string[]) => Promise<unknown>>;

/** Dies when this method has done its work. */
function dieAfter(prototype: object, name: string, counts = (_argument = '') => true): void {
  const methods = prototype as Methods;
  const real = methods[name]!;
  methods[name] = async function (...args) {
    await real.apply(this, args);
    if (counts(args[0])) await die();
  };
}

/** In the order of a request's life. */
const PREPARE = {
  'before-journal': () => Object.assign(Journal.prototype, { accept: die }),
  'before-ack': () => dieAfter(Journal.prototype, 'accept'),
  'while-running': () => dieAfter(Journal.prototype, 'processStarted'),
  'before-result': () => Object.assign(UpstreamLog.prototype, { append: die }),
  'before-publish': () => dieAfter(UpstreamLog.prototype, 'append'),
  'before-stored': () => dieAfter(BrokerConnection.prototype, 'publish', (topic = '') => topic.endsWith('/result')),
};

export type Moment = keyof typeof PREPARE;

const [moment = ''] = process.argv.splice(2, 1);
PREPARE[moment as Moment]();
await import('../../../agent/main.ts');
