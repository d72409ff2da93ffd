/** Tables for tests of what is stored. */
import { type DynamoDbSettings, openDynamoDbTable } from '../functions/table/dynamodb.ts';
import type { Table } from '../functions/table/table.ts';
import { startEmulator } from './support/emulator.ts';
import { openMemoryTable } from './support/memory-table.ts';
import { judgedTable } from './support/table-rights.ts';

export interface TestTable {
  /** The same table for another function: a test may change how its calls go without a change for the others. */
  open(): Table;
}

/** A table in the memory of this process. */
export function memoryTable(): TestTable {
  const table = judgedTable(openMemoryTable());
  return { open: () => ({ ...table }) };
}

export interface EmulatedTable extends AsyncDisposable {
  settings: DynamoDbSettings & { endpoint: string };
  /** The same table for another function. */
  open(): Table;
}

/** A table of the emulator, for functions in processes of their own. */
export async function emulatedTable(): Promise<EmulatedTable> {
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
