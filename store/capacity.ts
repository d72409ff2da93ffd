/** Adds up the capacity that a request consumes in DynamoDB, so that tests can check it and the log shows it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConsumedCapacity } from './operations.ts';

/** Read and write capacity units. */
export interface Consumption {
  readUnits: number;
  writeUnits: number;
}

const current = new AsyncLocalStorage<Consumption>();

/** Runs `work`, and adds up the consumption of every DynamoDB call inside it. */
export function metered<T>(work: (consumption: Consumption) => T): T {
  const consumption = { readUnits: 0, writeUnits: 0 };
  return current.run(consumption, () => work(consumption));
}

/** Adds the capacity of one call to the current request. DynamoDB calls the units of either kind `CapacityUnits`. */
export function addConsumed(kind: 'read' | 'write', consumed: ConsumedCapacity | ConsumedCapacity[] | undefined): void {
  const consumption = current.getStore();
  if (!consumption || !consumed) return;
  for (const { CapacityUnits = 0 } of [consumed].flat()) {
    if (kind === 'read') consumption.readUnits += CapacityUnits;
    else consumption.writeUnits += CapacityUnits;
  }
}

/** Whether the current request has written something. */
export function hasWritten(): boolean {
  return (current.getStore()?.writeUnits ?? 0) > 0;
}

/** An object that identifies the current request, as a key for data that is kept as long as it; null outside of one. */
export function currentRequest(): WeakKey | null {
  return current.getStore() ?? null;
}
