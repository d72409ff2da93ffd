/** `/devices`, `/overview` and `/metrics` in Lambda. Streamed: a collection may be larger than the 6 MB of a buffered answer. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig } from '../context/config.ts';
import { devicesGroup } from '../devices/handlers.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { metricsGroup } from '../status/metrics-handlers.ts';
import { overviewGroup } from '../status/overview-handlers.ts';
import { devicesContextInLambda } from './devices-context.ts';

const context = devicesContextInLambda(readConfig());

export const handler = streamHandle(behindGateway(service(context, devicesGroup, overviewGroup, metricsGroup)));
