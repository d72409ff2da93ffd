/** Adds up what a request consumes in DynamoDB, so that its cost stands in the log and can be asserted in tests. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';

/** Read and write capacity units. */
export interface Consumption {
  readUnits: number;
  writeUnits: number;
}

const current = new AsyncLocalStorage<Consumption>();

/** Runs `work`; every DynamoDB call inside it, however deep, is added to the consumption it is given. */
export function metered<T>(work: (consumption: Consumption) => T): T {
  const consumption = { readUnits: 0, writeUnits: 0 };
  return current.run(consumption, () => work(consumption));
}

/** Adds one call's capacity to the request under way. The service names units of either kind `CapacityUnits`. */
export function addConsumed(kind: 'read' | 'write', consumed: ConsumedCapacity | ConsumedCapacity[] | undefined): void {
  const consumption = current.getStore();
  if (!consumption || !consumed) return;
  for (const { CapacityUnits = 0 } of [consumed].flat()) {
    if (kind === 'read') consumption.readUnits += CapacityUnits;
    else consumption.writeUnits += CapacityUnits;
  }
}

/** Stands for the request under way, for what is remembered as long as it lasts; null outside of one. */
export function currentRequest(): WeakKey | null {
  return current.getStore() ?? null;
}
