/**
 * `/console/` in Lambda: files, without a right to anything. Streamed: a buffered answer could not be compressed. The
 * gateway also leads here whatever is no operation's, which is refused as every function refuses it.
 */
import { fileURLToPath } from 'node:url';
import { streamHandle } from 'hono/aws-lambda';
import { readConsoleConfig } from '../context/config.ts';
import { consoleGroup } from '../http/console.ts';
import { behindGateway } from '../http/gateway.ts';
import { service } from '../http/service.ts';
import { consoleLog } from '../status/log.ts';
import { STRANGERS_LOGGED_IN } from './lambda-settings.ts';

/** No token is looked up here. */
const tokens = { lastFound: () => null };
/** Lies beside the bundle: see cdk/bundle-function.ts. */
const group = consoleGroup(fileURLToPath(new URL('console', import.meta.url)));
const settings = { version: '', ...readConsoleConfig(), strangersLoggedIn: STRANGERS_LOGGED_IN };
const app = service({ tokens, log: consoleLog, settings }, group);

export const handler = streamHandle(behindGateway(app));
