/** `/devices` in Lambda. Streamed: a collection may be larger than the 6 MB of a buffered answer. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig } from '../config.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { contextInLambda } from '../lambda-context.ts';
import { devicesGroup } from './handlers.ts';

export const handler = streamHandle(behindGateway(service(contextInLambda(readConfig()), devicesGroup), 'streamed'));
