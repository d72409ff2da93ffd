/** `/schedules`, `/checks`, `/series` and `/scans` in Lambda. */
import { openPublisher } from '../commands/publisher.ts';
import { readConfig } from '../config.ts';
import { monitorsGroup } from '../groups/monitors.ts';
import { jobs, months, series, siteStates } from '../store-openers.ts';
import { contextInLambda, FOR_PLANS } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const registry = openPublisher(config.stage, config.iotEndpoint);
const context = contextInLambda(config, { jobs, months, series, siteStates, ...FOR_PLANS });

export const handler = serve(monitorsGroup, { ...context, registry });
