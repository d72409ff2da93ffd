/** Tables for tests of what is stored. */
import { type DynamoDbSettings, openDynamoDbTable } from '../store/dynamodb.ts';
import { openMemoryTable } from '../store/memory.ts';
import type { Key } from '../store/rows.ts';
import type { Table } from '../store/table.ts';
import { startEmulator } from './support/emulator.ts';

export interface TestTable extends AsyncDisposable {
  /** The same table for another function: a test may change how its calls go without a change for the others. */
  open(): Table;
}

/** A table in the memory of this process. @param onPut told of every item that is written */
export function memoryTable(onPut?: (key: Key) => void): TestTable {
  const table = openMemoryTable(onPut);
  return { open: () => ({ ...table }), [Symbol.asyncDispose]: async () => {} };
}

/** A table of the emulator, for functions in processes of their own. */
export async function emulatedTable(): Promise<TestTable & { settings: DynamoDbSettings & { endpoint: string } }> {
  const emulator = await startEmulator();
  const settings = await emulator.makeTable();
  const opened: Table[] = [];
  return {
    settings,
    open() {
      const table = openDynamoDbTable(settings);
      opened.push(table);
      return table;
    },
    async [Symbol.asyncDispose]() {
      for (const table of opened) await table.close();
      await emulator[Symbol.asyncDispose]();
    },
  };
}
