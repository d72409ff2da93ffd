/** Stands between a table and those who use it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Consumption, withRequestCost } from '../../functions/table/request-cost.ts';
import type { Item, QueryOptions, Table } from '../../functions/table/table.ts';
import { asTest } from './table-rights.ts';

export type TableMethod = Exclude<keyof Table, 'close'>;

export interface TableCall {
  method: TableMethod;
  /** What it was called with; for `query`, of which each page is a call and the end one more, what the whole was. */
  args: readonly unknown[];
}

/**
 * Lets a test see, delay, fail or repeat the calls of a table.
 * @param handle makes the call with `pass`, or does not
 * @returns lets them pass again, as the end of its scope does
 */
export function aroundCalls(
  table: Table,
  handle: (call: TableCall, pass: () => Promise<unknown>) => Promise<unknown>,
): (() => void) & Disposable {
  const before = { ...table };
  // What the test does about a call is not what the function does that makes the call.
  const around: typeof handle = (call, pass) => asTest(handle.bind(null, call, AsyncLocalStorage.bind(pass)));
  const methods: readonly TableMethod[] = ['get', 'getAll', 'put', 'update', 'remove', 'transact', 'bulk', 'ping'];
  for (const method of methods) {
    const call = (...args: unknown[]) =>
      around({ method, args }, () => (before[method] as (...all: unknown[]) => Promise<unknown>)(...args));
    Object.assign(table, { [method]: call });
  }
  table.query = async function* (pk: string, prefix: string | null, options?: QueryOptions) {
    const pages = before.query(pk, prefix, options);
    for (;;) {
      const call = { method: 'query', args: [pk, prefix, options] } as const;
      const { done, value } = (await around(call, () => pages.next())) as IteratorResult<Item[]>;
      if (done) return;
      yield value;
    }
  };
  const restore = () => void Object.assign(table, before);
  return Object.assign(restore, { [Symbol.dispose]: restore });
}

/** What some work consumes of the table. */
export const consumedBy = (work: () => Promise<unknown>): Promise<Consumption> =>
  withRequestCost(async (consumed) => {
    await work();
    return consumed;
  });
