/** One function as the cloud runs it, in a process of its own: `/nettools` and `/jobs`, with its own way to the broker. */
import { pino } from 'pino';
import * as z from 'zod';
import { closeContext, openContext } from '../../api/context/context.ts';
import { nettoolsGroup } from '../../api/groups/nettools.ts';
import { service } from '../../api/http/service.ts';
import { openCertificateAuthority } from '../../local/certificate-authority.ts';
import { startHttpServer } from '../../local/http-server.ts';
import { LOCAL_STAGE } from '../../shared/identity.ts';

export const FunctionSettings = z.object({
  dynamodbEndpoint: z.string(),
  /** Folder of the authority that has issued the functions' certificate. */
  authority: z.string(),
  brokerPort: z.int(),
  /** How long an agent may take to acknowledge a request. */
  ackWithinMs: z.int(),
});
export type FunctionSettings = z.infer<typeof FunctionSettings>;

const { dynamodbEndpoint, authority, brokerPort, ackWithinMs } = FunctionSettings.parse(
  JSON.parse(process.argv[2] ?? ''),
);
const { certificate, functions } = await openCertificateAuthority(authority, ['127.0.0.1']);
const notHere = async () => {
  throw new Error('this function enrols nobody');
};
const context = openContext({
  version: 'test',
  corsOrigins: [],
  table: {
    tableName: 'lanreach',
    endpoint: dynamodbEndpoint,
    region: 'local',
    credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local', sessionToken: null }),
    bulkWrites: 'transactions',
  },
  broker: {
    stage: LOCAL_STAGE,
    dial: () => ({
      protocol: 'mqtts',
      host: '127.0.0.1',
      port: brokerPort,
      ca: certificate,
      cert: functions.certificate,
      key: functions.key,
    }),
    ackWithinMs,
  },
  registry: {
    enrol: notHere,
    isActive: notHere,
    retire: notHere,
    revoke: notHere,
    revokeAll: notHere,
    publish: notHere,
  },
  log: pino({ level: 'info' }),
});
const server = await startHttpServer(service(context, ...Object.values(nettoolsGroup.routes)).fetch, '127.0.0.1', 0);
process.stdout.write(`${JSON.stringify({ listening: server.port })}\n`);
// Whoever started us has gone.
process.stdin.resume().on('end', () => void server.close().then(() => closeContext(context)));
