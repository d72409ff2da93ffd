/** `/devices` and `/metrics` in Lambda. Streamed: a collection may be larger than the 6 MB of a buffered answer. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig } from '../context/config.ts';
import { contextInLambda } from '../context/lambda-context.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { metricsGroup } from '../metrics/handlers.ts';
import { devicesGroup } from './handlers.ts';

const context = contextInLambda(readConfig());

export const handler = streamHandle(behindGateway(service(context, devicesGroup, metricsGroup), 'streamed'));
