/** Many agents in one process: each has an identity and a link of its own, the real one, and runs nothing. */
import { pino } from 'pino';
import * as z from 'zod';
import { readIdentity } from '../../../agent/identity/identity.ts';
import { BrokerConnection } from '../../../agent/link/broker-connection.ts';
import { endpointOf } from '../../../agent/link/session.ts';
import { clientIdOf } from '../../../shared/identity.ts';

export const CrowdSettings = z.object({ folders: z.array(z.string()), brokerPort: z.int() });
export type CrowdSettings = z.infer<typeof CrowdSettings>;

/** What is printed, a line each. */
export type CrowdNews =
  /** How many agents are connected. */
  | { event: 'up'; count: number }
  | { event: 'attempt' }
  /** An agent has chosen to wait for so long before its next attempt. */
  | { event: 'wait'; ms: number };

const { folders, brokerPort } = CrowdSettings.parse(JSON.parse(process.argv[2] ?? ''));
const links: BrokerConnection[] = [];
let up = 0;
const tell = (news: CrowdNews) => process.stdout.write(`${JSON.stringify(news)}\n`);
const log = pino(
  { level: 'debug' },
  {
    write(line) {
      const { delayMs } = JSON.parse(line);
      if (delayMs !== undefined) tell({ event: 'wait', ms: delayMs });
    },
  },
);
for (const folder of folders) {
  const identity = await readIdentity(folder);
  const link = new BrokerConnection({
    client: clientIdOf(identity.stage, identity.agent),
    dial() {
      tell({ event: 'attempt' });
      return endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`);
    },
    onMessage: async () => {},
    onUp() {
      tell({ event: 'up', count: ++up });
    },
    onDown() {
      tell({ event: 'up', count: --up });
    },
    describe: () => ({
      version: '0.0.0',
      programs: {},
      capabilities: [],
      networks: [],
      load: { running: 0, queued: 0 },
    }),
    log,
  });
  link.open();
  links.push(link);
}
// Whoever started us has gone.
process.stdin.resume().on('end', () => process.exit());
