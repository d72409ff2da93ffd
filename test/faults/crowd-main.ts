/** Many agents in one process: each has an identity and a link of its own, the real one, and runs nothing. */
import { pino } from 'pino';
import * as z from 'zod';
import { readIdentity } from '../../agent/identity/identity.ts';
import { BrokerConnection, endpointOf } from '../../agent/link/broker-connection.ts';

export const CrowdSettings = z.object({ folders: z.array(z.string()), brokerPort: z.int() });
export type CrowdSettings = z.infer<typeof CrowdSettings>;

const { folders, brokerPort } = CrowdSettings.parse(JSON.parse(process.argv[2] ?? ''));
const links: BrokerConnection[] = [];
let up = 0;
const tell = (attemptAt: number | null) => process.stdout.write(`${JSON.stringify({ up, attemptAt })}\n`);
for (const folder of folders) {
  const identity = await readIdentity(folder);
  const link = new BrokerConnection({
    agent: identity.agent,
    dial() {
      tell(Date.now()); // Who accepts the connections may be too busy to see them at their time.
      return endpointOf(identity, `mqtts://127.0.0.1:${brokerPort}`);
    },
    onMessage: async () => {},
    onUp() {
      up++;
      tell(null);
    },
    onDown() {
      up--;
      tell(null);
    },
    describe: () => ({ version: '0.0.0', tools: {}, capabilities: [], networks: [], load: { running: 0, queued: 0 } }),
    log: pino({ level: 'silent' }),
  });
  link.open();
  links.push(link);
}
// Whoever started us has gone.
process.stdin.resume().on('end', () => process.exit());
