/** The agent, which kills itself at a moment in the life of its first request: `<program> <moment> …`. */

import { Journal } from '../../../agent/jobs/journal.ts';
import { BrokerConnection } from '../../../agent/link/broker-connection.ts';
import { UpstreamLog } from '../../../agent/upstream/upstream-log.ts';

/** In the order of a request's life. */
export type Moment =
  | 'before-journal'
  | 'before-ack'
  | 'while-running'
  | 'before-result'
  | 'before-publish'
  | 'before-stored';

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => {});
}

const { accept, processStarted } = Journal.prototype;
const { append } = UpstreamLog.prototype;
const { publish } = BrokerConnection.prototype;

const PREPARE: Record<Moment, () => void> = {
  'before-journal': () => {
    Journal.prototype.accept = die;
  },
  'before-ack': () => {
    Journal.prototype.accept = async function (...args) {
      await accept.apply(this, args);
      return die();
    };
  },
  'while-running': () => {
    Journal.prototype.processStarted = async function (...args) {
      await processStarted.apply(this, args);
      return die();
    };
  },
  'before-result': () => {
    UpstreamLog.prototype.append = die;
  },
  'before-publish': () => {
    UpstreamLog.prototype.append = async function (...args) {
      await append.apply(this, args);
      return die();
    };
  },
  'before-stored': () => {
    BrokerConnection.prototype.publish = async function (topic, payload) {
      await publish.call(this, topic, payload);
      if (topic.endsWith('/result')) await die();
    };
  },
};

const [moment = ''] = process.argv.splice(2, 1);
PREPARE[moment as Moment]();
await import('../../../agent/main.ts');
