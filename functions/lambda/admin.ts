/** `/sites`, `/tokens`, `/hooks`, `/audit`, `/enrol`, `/oauth`, `/.well-known` and `/openapi.json` in Lambda. */
import { fileURLToPath } from 'node:url';
import { openIotCoreRegistry } from '../agents/iot-core-registry.ts';
import { readConfig } from '../config.ts';
import { adminGroup } from '../groups/admin.ts';
import { contextInLambda } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const context = contextInLambda(config);
const registry = openIotCoreRegistry(config, context.log);
/** Lies beside the bundle: see cdk/bundle-function.ts. */
const openApiFile = fileURLToPath(new URL('openapi.json', import.meta.url));

export const handler = serve(adminGroup, { ...context, registry, openApiFile });
