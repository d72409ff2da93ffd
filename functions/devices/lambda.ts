/** `/devices` in Lambda. Streamed: a collection may be larger than the 6 MB of a buffered answer. */
import { streamHandle } from 'hono/aws-lambda';
import { readConfig } from '../context/config.ts';
import { contextInLambda } from '../context/lambda-context.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { devicesGroup } from './handlers.ts';

export const handler = streamHandle(behindGateway(service(contextInLambda(readConfig()), devicesGroup), 'streamed'));
