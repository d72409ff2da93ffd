/**
 * `/console/` in Lambda: files, without any right. The gateway also routes unknown paths here, which this function rejects
 * as every other does.
 */
import { fileURLToPath } from 'node:url';
import { readConsoleConfig } from '../../config.ts';
import { consoleLog } from '../../http/log.ts';
import { consoleGroup } from '../console.ts';
import { REJECTION_SAMPLING, serve } from './serve.ts';

const config = readConsoleConfig();
const settings = { version: '', corsOrigins: config.corsOrigins, rejectionSampling: REJECTION_SAMPLING };
/** Lies beside the bundle: see cdk/bundle-function.ts. */
const consoleFolder = fileURLToPath(new URL('console', import.meta.url));

export const handler = serve(consoleGroup, { settings, log: consoleLog, consoleFolder });
