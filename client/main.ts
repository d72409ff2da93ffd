/**
 * The package `lanreach/client`: a typed client of the API for browsers, Node.js and Deno.
 *
 *     const lanreach = openClient({ url: 'http://127.0.0.1:8787', token });
 *     const { devices } = await lanreach.ask(operations.devices.listDevices, { site: 'home' });
 */
import { admin } from '../shared/api/admin.ts';
import { devices } from '../shared/api/devices.ts';
import { health } from '../shared/api/health.ts';
import { hooks } from '../shared/api/hooks.ts';
import { jobs } from '../shared/api/jobs.ts';
import { metrics } from '../shared/api/metrics.ts';
import { nettools } from '../shared/api/nettools.ts';
import { overview } from '../shared/api/overview.ts';
import { specification } from '../shared/api/specification.ts';

export { Job } from '../shared/api/jobs.ts';
export type { Operation, Output } from '../shared/api/operation.ts';
export type { ErrorCode, FieldError } from '../shared/errors.ts';
export { type Access, type Client, openClient, type Question, type StreamedEvent } from './client.ts';
export { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';

/** Every operation of the API, with the schemas of its input and output. */
export const operations = { devices, nettools, jobs, hooks, admin, overview, metrics, health, specification };
