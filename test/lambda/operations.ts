/** Every operation of the API, found in the tables, and the recorded event of a request for each of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Operation } from '../../shared/api/operation.ts';

const TABLES = join(import.meta.dirname, '..', '..', 'shared', 'api');
const FIXTURES = join(import.meta.dirname, 'fixtures');

const Described = z.looseObject({ method: z.string(), path: z.string().startsWith('/'), response: z.unknown() });
const Table = z.record(z.string(), Described);

/** By name. Looked for in every file of `shared/api`, so that none is left out. */
export async function allOperations(): Promise<Map<string, Operation>> {
  const files = readdirSync(TABLES).filter((file) => file.endsWith('.ts') && !file.includes('.test.'));
  const found = new Map<string, Operation>();
  for (const file of files) {
    const exported: Record<string, unknown> = await import(join(TABLES, file));
    for (const table of Object.values(exported).filter((value) => Table.safeParse(value).success)) {
      for (const [name, operation] of Object.entries(table as Record<string, Operation>)) {
        if (found.has(name)) throw new Error(`two operations are called ${name}`);
        found.set(name, operation);
      }
    }
  }
  return found;
}

export function recordedEvents(): string[] {
  return readdirSync(FIXTURES).map((file) => file.replace(/\.json$/, ''));
}

/**
 * The event of a request for an operation, with values in the place of `{{name}}`.
 * @throws {Error} when there is no recorded event, or one of its values is not given
 */
export function eventFor(operation: string, values: Record<string, string>): APIGatewayProxyEvent {
  const file = join(FIXTURES, `${operation}.json`);
  if (!existsSync(file)) throw new Error(`there is no event of a request for ${operation}: test/lambda/fixtures`);
  const event = JSON.parse(readFileSync(file, 'utf8'), (_, value: unknown) =>
    typeof value === 'string' ? filled(value, given) : value,
  ) as APIGatewayProxyEvent;
  return event;

  function given(name: string): string {
    const value = values[name];
    if (value === undefined) throw new Error(`the event of ${operation} needs a value for {{${name}}}`);
    return value;
  }
}

/** Inside a JSON body a value is written as JSON. */
function filled(text: string, given: (name: string) => string): string {
  const isJson = text.startsWith('{"');
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
    isJson ? JSON.stringify(given(name)).slice(1, -1) : given(name),
  );
}
