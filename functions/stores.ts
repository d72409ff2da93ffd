/** The stores that use the table. */
import * as openers from './store-openers.ts';
import type { Table } from './table/table.ts';

export type Openers = Readonly<Record<string, (table: Table, now: () => Date, keepDevices?: number) => unknown>>;
type Opened<Some extends Openers> = { [Name in keyof Some]: ReturnType<Some[Name]> } & { table: Table };

export type Stores = Opened<typeof openers>;

/** Opens all stores, for the process that serves all groups. */
export const openStores = (table: Table, now: () => Date): Stores => openSome(openers, table, now);

/** @param keepDevices how many devices are kept in memory at most */
export function openSome<Some extends Openers>(
  some: Some,
  table: Table,
  now: () => Date,
  keepDevices?: number,
): Opened<Some> {
  const opened = Object.entries(some).map(([name, open]) => [name, open(table, now, keepDevices)]);
  return { ...Object.fromEntries(opened), table };
}
