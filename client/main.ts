/**
 * The package `lanreach/client`: a typed client of the API for browsers, Node.js and Deno.
 *
 *     const lanreach = openClient({ url: 'http://127.0.0.1:8787', token });
 *     const { devices } = await lanreach.ask(operations.devices.listDevices, { site: 'home' });
 */
export { Job } from '../shared/api/jobs.ts';
export type { Operation, Output } from '../shared/api/operation.ts';
/** Every operation of the API, with the schemas of its input and output. */
export { tables as operations } from '../shared/api/tables.ts';
export type { ErrorCode, FieldError } from '../shared/errors.ts';
export { type Access, type Client, openClient, type Question, type StreamedEvent } from './client.ts';
export { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from './errors.ts';
