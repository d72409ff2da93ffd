/** Describes an error in a message of an agent or a row of the table. */
import * as z from 'zod';
import type { Unreadable } from './api/operation.ts';
import { oneLine, startOf } from './text.ts';

const MAX_CHARACTERS = 300;

/** A short description of any error, sanitized because error messages quote the invalid input. */
export function problemOf(error: unknown): string {
  return startOf(oneLine(describe(error)), MAX_CHARACTERS);
}

/** What `read` returns; null when it throws. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Reads rows, and names those that cannot be read, so that they hide no other. Those read as null are left out. */
export function readEach<Row, T>(rows: Iterable<Row>, idOf: (row: Row) => string, read: (row: Row) => T | null) {
  const readable: T[] = [];
  const unreadable: Unreadable[] = [];
  for (const row of rows) {
    try {
      const value = read(row);
      if (value !== null) readable.push(value);
    } catch (error) {
      unreadable.push({ id: idOf(row), problem: problemOf(error) });
    }
  }
  return { readable, unreadable };
}

function describe(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const path = issue?.path.join('.') ?? '';
    return `${path === '' ? '' : `${path}: `}${issue?.message.replace(/^Invalid input: /, '')}`;
  }
  return error instanceof Error ? error.message : String(error);
}
