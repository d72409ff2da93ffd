/** `/devices`, `/overview` and `/metrics` in Lambda. Streamed: a collection may be larger than the 6 MB of a buffered answer. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig } from '../context/config.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { metricsGroup } from '../metrics/handlers.ts';
import { overviewGroup } from '../overview/handlers.ts';
import { devicesContextInLambda } from './context.ts';
import { devicesGroup } from './handlers.ts';

const context = devicesContextInLambda(readConfig());

export const handler = streamHandle(behindGateway(service(context, devicesGroup, overviewGroup, metricsGroup)));
