/** `/sites`, `/tokens`, `/hooks`, `/audit`, `/enrol` and `/openapi.json` in Lambda. Streamed: exports may be large. */
import { readFile } from 'node:fs/promises';
import { streamHandle } from 'hono/aws-lambda';
import { adminGroup } from '../access/handlers.ts';
import { openIotCoreRegistry } from '../access/iot-core-registry.ts';
import { readConfig } from '../context/config.ts';
import { hooksGroup } from '../hooks/handlers.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { specificationGroup } from '../http/specification.ts';
import { consoleLog } from '../status/log.ts';
import { contextInLambda } from './lambda-context.ts';

const config = readConfig();
const registry = openIotCoreRegistry(
  {
    stage: config.stage,
    policy: config.agentPolicy,
    broker: config.agentBroker,
    endpoint: config.iotEndpoint,
  },
  consoleLog,
);

/** Lies beside the bundle: see cdk/bundle-function.ts. */
const described = specificationGroup(() => readFile(new URL('openapi.json', import.meta.url), 'utf8'));
const app = service(contextInLambda(config, { registry }), adminGroup, hooksGroup, described);

export const handler = streamHandle(behindGateway(app));
