/**
 * What a request is called: an operation of the tables, or its route alone, by which a program that has to start at once names it
 * without loading the tables. Only types come from them, so that neither they nor zod are part of such a program.
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
/** A command for an agent, of whatever tool. */
type Command = {
  params: z.ZodType<unknown, { tool: string }>;
  query: z.ZodType<unknown, { agent?: string | undefined }>;
  body: z.ZodType<unknown, object | undefined>;
  response: z.ZodType<object>;
};
type ByRoute = { [Name in keyof Operations as RouteOf<Operations[Name]>]: Operations[Name] } & Record<
  'GET /nettools/{tool}' | 'POST /nettools/{tool}',
  Command
>;

/** `GET /devices`: every operation of the API but the commands, which are named by their tool. */
export type Route = keyof ByRoute;
/** An operation checks the answer; of a route it is only known to be JSON. */
export type Named = Operation | Route;

type OperationOf<Name> = Name extends Route ? ByRoute[Name] : Name;
type InputOf<Name extends Named, Part extends string> =
  OperationOf<Name> extends { [Key in Part]: infer Schema extends z.ZodType } ? z.input<Schema> : undefined;

/** The JSON of a successful answer. */
export type AnswerOf<Name extends Named> =
  OperationOf<Name> extends { response: infer Schema extends z.ZodType } ? z.output<Schema> : never;
export type ParamsOf<Name extends Named> = InputOf<Name, 'params'>;
export type QueryOf<Name extends Named> = InputOf<Name, 'query'>;
export type BodyOf<Name extends Named> = InputOf<Name, 'body'>;
