/** Devices, schedules, checks and series in Lambda. */
import { openPublisher } from '../../commands/publisher.ts';
import { readConfig } from '../../config.ts';
import { months, ports, series, siteStates } from '../../store-openers.ts';
import { dataGroup } from '../data.ts';
import { contextInLambda, FOR_PLANS } from './context.ts';
import { releasesInLambda } from './releases.ts';
import { serve } from './serve.ts';

const config = readConfig();
const registry = openPublisher(config.stage, config.iotEndpoint);
const context = contextInLambda(config, { months, ports, series, siteStates, ...FOR_PLANS });

export const handler = serve(dataGroup, { ...context, ...releasesInLambda(config, context.log), registry });
