/** The capacity that a request consumes in DynamoDB, for tests and the log. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Read and write capacity units. */
export interface Consumption {
  readUnits: number;
  writeUnits: number;
}

const current = new AsyncLocalStorage<Consumption>();

/** Runs `work`, and adds up the consumption of every call of the table inside it. */
export function withRequestCost<T>(work: (consumption: Consumption) => T): T {
  const consumption = { readUnits: 0, writeUnits: 0 };
  return current.run(consumption, () => work(consumption));
}

/** Adds the units of one call to the current request. */
export function addConsumed(kind: 'read' | 'write', units: number): void {
  const consumption = current.getStore();
  if (consumption === undefined) return;
  if (kind === 'read') consumption.readUnits += units;
  else consumption.writeUnits += units;
}

/** Whether the current request has written something. */
export const hasWritten = (): boolean => (current.getStore()?.writeUnits ?? 0) > 0;
