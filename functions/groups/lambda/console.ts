/**
 * `/console/` in Lambda: files, without a right to anything. The gateway also leads here whatever is no operation's, which
 * is refused as every function refuses it.
 */
import { fileURLToPath } from 'node:url';
import { readConsoleConfig } from '../../config.ts';
import { consoleLog } from '../../http/log.ts';
import { consoleGroup } from '../console.ts';
import { STRANGERS_LOGGED_IN, serve } from './serve.ts';

const config = readConsoleConfig();
const settings = { version: '', corsOrigins: config.corsOrigins, strangersLoggedIn: STRANGERS_LOGGED_IN };
/** Lies beside the bundle: see cdk/bundle-function.ts. */
const consoleFolder = fileURLToPath(new URL('console', import.meta.url));

export const handler = serve(consoleGroup, { settings, log: consoleLog, consoleFolder });
