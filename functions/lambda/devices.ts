/** `/devices`, `/overview`, `/search` and `/metrics` in Lambda. */
import { openPublisher } from '../commands/publisher.ts';
import { readConfig } from '../config.ts';
import { devicesGroup } from '../groups/devices.ts';
import { contextInLambda } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const registry = openPublisher(config.stage, config.iotEndpoint);

export const handler = serve(devicesGroup, { ...contextInLambda(config), registry });
