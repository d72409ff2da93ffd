/** Makes the agents known in the region of the standby. See "A second region" in DEPLOY.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { IoTClient } from '@aws-sdk/client-iot';
import { openDynamoDbTable } from '../store/dynamodb.ts';
import { openStores } from '../store/stores.ts';
import { registerCertificates } from './standby-certificates.ts';

const USAGE = `Usage:
  npm run register-certificates -- --from us-east-1 --to eu-west-1 --table <TableName> --policy <AgentPolicy> [--stage prod]

Makes every agent known in IoT Core of the other region, and switches off there who was revoked. It may be stopped and run
again. --table: the table or, in the other region, its copy; --policy: the output AgentPolicy there. Needs credentials.
IOT_FROM, IOT_TO and DYNAMODB_ENDPOINT: other endpoints, for tests.
`;
const EVERY_MS = 100;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    table: { type: 'string' },
    policy: { type: 'string' },
    stage: { type: 'string', default: 'prod' },
  },
});
const { from, to, table: tableName, policy, stage } = values;
if (from === undefined || to === undefined || tableName === undefined || policy === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const { IOT_FROM, IOT_TO, DYNAMODB_ENDPOINT } = process.env;
const iot = (region: string, endpoint: string | undefined) =>
  new IoTClient({ region, maxAttempts: 6, ...(endpoint === undefined ? {} : { endpoint }) });
const table = openDynamoDbTable({
  tableName,
  region: from,
  ...(DYNAMODB_ENDPOINT === undefined ? {} : { endpoint: DYNAMODB_ENDPOINT }),
});
let next = 0;
const result = await registerCertificates({
  stores: openStores(table, () => new Date()),
  stage,
  from: iot(from, IOT_FROM),
  to: iot(to, IOT_TO),
  policy,
  async pace() {
    next = Math.max(next + EVERY_MS, performance.now());
    await sleep(next - performance.now());
  },
  say: (line) => process.stderr.write(`${line}\n`),
});
await table.close();
const { agents, added, switchedOff, failed } = result;
process.stdout.write(
  `${agents} agents: ${added} certificates added, ${switchedOff} switched off, ${failed.length} failed\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
