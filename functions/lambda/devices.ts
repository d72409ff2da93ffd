/** `/devices`, `/overview`, `/search` and `/metrics` in Lambda. */
import { openPublisher } from '../commands/publisher.ts';
import { readConfig } from '../config.ts';
import { devicesGroup } from '../groups/devices.ts';
import { checks, devices, ports, rollOuts, series, siteStates } from '../store-openers.ts';
import { contextInLambda } from './context.ts';
import { releasesInLambda } from './releases.ts';
import { serve } from './serve.ts';

const config = readConfig();
const registry = openPublisher(config.stage, config.iotEndpoint);
const context = contextInLambda(config, { checks, devices, ports, rollOuts, series, siteStates });

export const handler = serve(devicesGroup, { ...context, ...releasesInLambda(config, context.log), registry });
