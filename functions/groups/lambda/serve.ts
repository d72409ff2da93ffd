/** Serves the routes of a group in Lambda. */
import type { APIGatewayProxyEvent, StreamifyHandler } from 'aws-lambda';
import { streamHandle } from 'hono/aws-lambda';
import type { ServiceContext } from '../../http/context.ts';
import { behindGateway } from '../../http/gateway.ts';
import { service } from '../../http/service.ts';
import type { Group } from '../group.ts';

/** Log lines are paid for, and anyone can cause them. The gateway's own log has a line for each of these requests. */
export const REJECTION_SAMPLING = 20;

/** Streamed: a response may be larger than the 6 MB of a buffered one, and take longer than its 29 seconds. */
export function serve<Used extends ServiceContext>({ routes }: Group<Used>, context: Used): StreamifyHandler {
  const handler: unknown = streamHandle(behindGateway(service(context, ...Object.values(routes))));
  const handle = handler as StreamifyHandler<APIGatewayProxyEvent>; // Its declared type is that of a buffered one.
  // Node's Request takes no body with these methods, and no operation reads one.
  return awslambda.streamifyResponse((event: APIGatewayProxyEvent, ...to) =>
    handle(/^(?:GET|HEAD)$/.test(event.httpMethod) ? { ...event, body: null } : event, ...to),
  );
}
