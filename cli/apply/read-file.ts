/** Reads a file that says how sites are to be: YAML, of which JSON is a part. The service checks what is in it. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parse, YAMLError } from 'yaml';
import * as z from 'zod';
import { only } from '../../shared/api/list.ts';
import { named } from '../../shared/api/parts.ts';
import { MAX_TEMPLATES, TemplateName } from '../../shared/api/templates.ts';
import { SiteId } from '../../shared/identity.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import type { World } from '../client/world.ts';
import { DeclaredDevice } from './devices.ts';

const Flag = z.boolean().optional();

/** What it does not name is left alone. */
const SitesFile = only({
  templates: named(z.looseObject({ name: TemplateName }), ({ name }) => name, MAX_TEMPLATES).default([]),
  sites: named(
    z.looseObject({
      id: SiteId,
      devices: named(DeclaredDevice, ({ mac }) => mac, 10_000).optional(),
      settings: z.unknown().optional(),
      prune: z.undefined({ error: 'expected it beside sites' }).optional(),
    }),
    ({ id }) => id,
    1_000,
  ).default([]),
  /** Kinds of which everything is removed that the file does not name: at the sites that it names, and of templates all. */
  prune: only({ templates: Flag, schedules: Flag, checks: Flag, hooks: Flag }).default({}),
}).superRefine(({ templates, prune }, context) => {
  // A list that was lost would remove them all.
  if (!prune.templates || templates.length > 0) return;
  const message =
    'the file names no template, and all of them would be removed; use "lanreach template remove" for that';
  context.addIssue({ code: 'custom', path: ['prune', 'templates'], message });
});
export type SitesFile = z.output<typeof SitesFile>;

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FAULTS = 20;
/** What repeats itself in a file of YAML; more of it than anybody writes could fill the memory. */
const MAX_ALIASES = 1_000;

/**
 * @param path `-` for standard input
 * @throws {Failure} that names each field that is wrong
 */
export async function readSitesFile({ env, stdin }: World, path: string): Promise<SitesFile> {
  const bytes = path === '-' ? await buffer(stdin) : await contentOf(path);
  if (bytes.length > MAX_BYTES) throw tooLarge(path);
  // Letters of another encoding would become the signs for unreadable ones, and be stored so.
  if (!isUtf8(bytes)) throw new Failure('failure', `${path} is not UTF-8 text; save it with that encoding`);
  const text = bytes.toString();
  let read: unknown;
  try {
    read = parse(text, { maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof YAMLError || error instanceof ReferenceError)
      throw new Failure('failure', `${path}: ${error.message}`);
    throw error;
  }
  const missing = new Set<string>();
  const file = withVariables(read, env, missing);
  if (missing.size > 0)
    throw new Failure(
      'failure',
      `${path} names variables of the environment that are not set: ${[...missing].join(', ')}`,
    );
  const parsed = SitesFile.safeParse(file);
  if (parsed.success) return parsed.data;
  throw unusable(
    path,
    parsed.error.issues.map(({ path: at, message }) => `${at.map(String).join('.') || 'file'}: ${message}`),
  );
}

/** @param omitted how many faults there are beside these */
export function unusable(path: string, faults: readonly string[], omitted = 0): Failure {
  const left = faults.length - MAX_FAULTS + omitted;
  const more = left > 0 ? [`  … and ${left} more`] : [];
  const lines = faults.slice(0, MAX_FAULTS).map((fault) => `  ${fault}`);
  return new Failure('failure', [`${path} cannot be used:`, ...lines, ...more].join('\n'));
}

/** `${NAME}` as the whole of a text: the value of a variable of the environment. */
const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Puts the values of variables into the URLs and the secrets of hooks, the only fields that no answer shows. */
function withVariables(
  value: unknown,
  values: Readonly<Record<string, string | undefined>>,
  missing: Set<string>,
  path: readonly string[] = [],
): unknown {
  if (typeof value === 'string') {
    const isSecret = /^(sites|templates) \d+ hooks \d+ (url|secret)$/.test(path.join(' '));
    const [, name] = isSecret ? (VARIABLE.exec(value) ?? []) : [];
    if (name === undefined) return value;
    if (!values[name]) missing.add(name);
    return values[name];
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (one: unknown, key: string) => withVariables(one, values, missing, [...path, key]);
  if (Array.isArray(value)) return value.map((one, i) => inner(one, String(i)));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one, key)]));
}

export async function contentOf(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw tooLarge(path);
    return await readFile(path);
  } catch (error) {
    throw error instanceof Failure ? error : unreadableFile(path, error as Error);
  }
}

const tooLarge = (path: string) => new Failure('failure', `${path} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
