/** Describes an error in a message of an agent or a row of the table. */
import * as z from 'zod';
import { oneLine, startOf } from './text.ts';

const MAX_CHARACTERS = 300;

/** A short description of any error, sanitized because error messages quote the invalid input. */
export function problemOf(error: unknown): string {
  return startOf(oneLine(describe(error)), MAX_CHARACTERS);
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
