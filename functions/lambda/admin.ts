/** `/sites`, `/tokens`, `/hooks`, `/audit`, `/enrol`, `/agent`, `/oauth`, `/.well-known` and `/openapi.json` in Lambda. */
import { fileURLToPath } from 'node:url';
import { openIotCoreRegistry } from '../agents/iot-core-registry.ts';
import { readConfig } from '../config.ts';
import { adminGroup } from '../groups/admin.ts';
import { accessRequests, enrolments } from '../store-openers.ts';
import { contextInLambda, FOR_PLANS, FOR_SITES } from './context.ts';
import { releasesInLambda } from './releases.ts';
import { serve } from './serve.ts';

const config = readConfig();
const context = contextInLambda(config, { accessRequests, enrolments, ...FOR_PLANS, ...FOR_SITES });
const registry = openIotCoreRegistry(config, context.log);
/** Lies beside the bundle: see cdk/bundle-function.ts. */
const openApiFile = fileURLToPath(new URL('openapi.json', import.meta.url));

export const handler = serve(adminGroup, {
  ...context,
  ...releasesInLambda(config, context.log),
  registry,
  openApiFile,
});
