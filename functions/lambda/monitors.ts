/** `/schedules`, `/checks`, `/series` and `/scans` in Lambda. */
import { openPublisher } from '../commands/publisher.ts';
import { readConfig } from '../config.ts';
import { monitorsGroup } from '../groups/monitors.ts';
import { contextInLambda } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const registry = openPublisher(config.stage, config.iotEndpoint);

export const handler = serve(monitorsGroup, { ...contextInLambda(config), registry });
