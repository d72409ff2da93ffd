/** The tables of operations, found in the modules of `shared/api`, so that a new table is in the documents by itself. */
import * as z from 'zod';
import type { Operations } from '../shared/api/operation.ts';

const Table = z.record(
  z.string(),
  z.looseObject({ method: z.string(), path: z.string().startsWith('/'), response: z.unknown(), example: z.unknown() }),
);

/** Tables by the names under which they are exported, in the order of these names. */
export type Tables = readonly (readonly [name: string, operations: Operations])[];

/**
 * The operations of a table that is put together from several are in it alone.
 * @param modules the exports of every file in `shared/api`
 */
export function tablesIn(modules: readonly object[]): Tables {
  const found = modules
    .flatMap((module) => Object.entries(module))
    .filter(([, value]) => Table.safeParse(value).success) as [string, Operations][];
  const isPart = (one: Operations) => found.some(([, whole]) => whole !== one && includes(whole, one));
  return found.filter(([, operations]) => !isPart(operations)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function includes(whole: Operations, part: Operations): boolean {
  return Object.entries(part).every(([name, operation]) => whole[name] === operation);
}
