/** Which part of an answer is printed as JSON. */
import { Failure } from './failure.ts';

/**
 * The chosen fields of each entry of a list, or of an answer that is no list. A field is named as in the JSON, with dots for
 * what is inside of it; of devices also without `dev` and `devLast`: `name,ip` are devName and devLastIP.
 * @throws {Failure} `usage` when there is no such field
 */
export function chosenFields(answer: unknown, wanted: readonly string[]): unknown {
  const list = listIn(answer);
  if (list === null) return fieldsOf(answer, wanted);
  return list.map((entry) => fieldsOf(entry, wanted));
}

/** The entries of an answer that is a list; null for any other. */
function listIn(answer: unknown): readonly unknown[] | null {
  if (Array.isArray(answer)) return answer as unknown[];
  if (typeof answer !== 'object' || answer === null) return null;
  // One record of its own may have a list in it; an answer that is a list has little else.
  const isRecord = Object.keys(answer).length > 1 && !('success' in answer || 'nextCursor' in answer);
  if (isRecord) return null;
  const lists = Object.entries(answer).filter(([name, value]) => Array.isArray(value) && name !== 'unreadable');
  const [only, ...others] = lists;
  return only === undefined || others.length > 0 ? null : (only[1] as unknown[]);
}

function fieldsOf(entry: unknown, wanted: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(wanted.map((name) => [name, valueAt(entry, name.split('.'), name)]));
}

function valueAt(value: unknown, [first, ...rest]: readonly string[], whole: string): unknown {
  if (first === undefined) return value;
  if (value === null) return null;
  const known = typeof value === 'object' ? Object.keys(value as object) : [];
  const key = keyFor(first, known);
  if (key !== undefined) return valueAt((value as Record<string, unknown>)[key], rest, whole);
  throw new Failure('usage', `There is no field "${whole}" in the answer. There are: ${known.join(', ') || 'none'}`);
}

function keyFor(name: string, known: readonly string[]): string | undefined {
  for (const prefix of ['', 'dev', 'devLast']) {
    const key = known.find((one) => one.toLowerCase() === `${prefix}${name}`.toLowerCase());
    if (key !== undefined) return key;
  }
  return undefined;
}

/** What a filter of jq makes of an answer: a text as it is, everything else as JSON, one a line. */
export async function filtered(answer: unknown, filter: string): Promise<string> {
  const jq = await import('jq-wasm/inline');
  const { stdout, stderr, exitCode } = await jq.raw(JSON.stringify(answer), filter, ['-r', '-c']);
  if (exitCode === 0) return stdout === '' ? '' : `${stdout}\n`;
  throw new Failure('usage', `--jq: ${stderr.replace(/^jq: /, '').trim()}`);
}
