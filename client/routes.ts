/**
 * The routes of the API, by which a program names a request without loading the tables of operations: only types come from
 * them, so that neither they nor zod are part of a program that has to start at once.
 */
import type * as z from 'zod';
import type { nettools } from '../shared/api/nettools.ts';
import type { Operation } from '../shared/api/operation.ts';
import type { tables } from '../shared/api/tables.ts';
import type { backupOperations } from '../shared/backup/operations.ts';

type OtherTables = Omit<typeof tables, 'nettools'>;
type Union<T> = (T extends unknown ? (one: T) => void : never) extends (one: infer All) => void ? All : never;
type Operations = Union<OtherTables[keyof OtherTables]> &
  typeof backupOperations &
  Pick<typeof nettools, 'triggerScan'>;
type RouteOf<Op> = Op extends Operation ? `${Op['method']} ${Op['path']}` : never;
type ByRoute = { [Name in keyof Operations as RouteOf<Operations[Name]>]: Operations[Name] };

/** `GET /devices`: every operation of the API but the commands, which are named by their tool. */
export type Route = keyof ByRoute;

type Field<Op, Name extends string> = Op extends { [Key in Name]: infer Schema } ? Schema : undefined;
type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The JSON of a successful answer. */
export type AnswerOf<R extends Route> = z.output<ByRoute[R]['response']>;
export type ParamsOf<R extends Route> = InputOf<Field<ByRoute[R], 'params'>>;
export type QueryOf<R extends Route> = InputOf<Field<ByRoute[R], 'query'>>;
export type BodyOf<R extends Route> = InputOf<Field<ByRoute[R], 'body'>>;
