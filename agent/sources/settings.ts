/**
 * The file with the sources of this agent: what they are, how they are reached, and with which secrets. The command
 * `lanreach-agent source` writes it, and the running agent follows it. Its content is sent nowhere, and appears in no log.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import { codeOf } from '../../shared/errno.ts';
import { parseJson } from '../../shared/json.ts';
import { writeAtomically } from '../state/atomic-file.ts';
import { readRegularFile } from '../state/regular-file.ts';
import { SOURCE_KINDS } from './kinds.ts';
import type { SourceKind } from './source.ts';

export const MAX_SOURCES = 32;
const MAX_FILE_BYTES = 256 * 1024;

export const SourceName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'expected at most 31 small letters, digits and hyphens');
export const Minutes = z.coerce.number().int().min(1).max(30);

const Stored = z.strictObject({
  name: SourceName,
  kind: z.string().max(40),
  /** From one reading to the next. */
  everyMinutes: Minutes.default(5),
  /** As they were entered. */
  settings: z.record(z.string().max(60), z.string().max(4_096)),
  /** SHA-256 of certificates that no authority vouches for, by host and port. */
  pins: z.record(z.string().max(300), z.string().regex(/^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/)).default({}),
});
export type StoredSource = z.output<typeof Stored>;
const SourcesFile = z.strictObject({ sources: z.array(Stored).max(MAX_SOURCES) });

export interface Source {
  name: string;
  kind: SourceKind;
  settings: Record<string, unknown>;
  everyMs: number;
  pins: Map<string, string>;
}

/** The message names fields and what was expected, and no content. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** Empty without a file. @throws {SettingsError} when others than its owner may read it, or it is malformed */
export async function readSources(path: string): Promise<StoredSource[]> {
  const name = resolve(path);
  let text: string;
  try {
    text = await readRegularFile(path, MAX_FILE_BYTES, true);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new SettingsError(`Cannot use the sources in ${name}: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = SourcesFile.safeParse(parseJson(text));
  // Only the fields: the text of an issue may quote the content.
  const fields = parsed.error?.issues.map(({ path }) => path.join('.') || 'the whole').join(', ');
  if (!parsed.success) throw new SettingsError(`The file of sources ${name} is malformed: ${fields}`);
  const names = parsed.data.sources.map((source) => source.name);
  const double = names.find((each, i) => names.indexOf(each) !== i);
  if (double !== undefined) throw new SettingsError(`The file of sources ${name} has two of the name ${double}`);
  return parsed.data.sources;
}

/** @throws {Error} when the file cannot be written */
export async function writeSources(path: string, sources: readonly StoredSource[]): Promise<void> {
  await writeAtomically(path, `${JSON.stringify({ sources }, null, 2)}\n`);
}

/** @throws {SettingsError} naming each setting that is missing, unknown or malformed */
export function sourceOf(
  { name, kind: word, settings, everyMinutes, pins }: StoredSource,
  kinds = SOURCE_KINDS,
): Source {
  const kind = kinds.find((each) => each.kind === word);
  if (kind === undefined) {
    throw new SettingsError(
      `There is no kind of source "${word}"; expected one of ${kinds.map((each) => each.kind).join(', ')}`,
    );
  }
  const parsed = z.strictObject(kind.settings.shape).safeParse(settings);
  if (!parsed.success) throw new SettingsError(parsed.error.issues.map((issue) => faultIn(issue, kind)).join('; '));
  return {
    name,
    kind,
    settings: parsed.data,
    everyMs: everyMinutes * 60_000,
    pins: new Map(Object.entries(pins)),
  };
}

/** The name of a setting as the command line has it: `leaseFile` is `--lease-file`. */
export function optionOf(setting: string): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function faultIn({ path, message, ...issue }: z.core.$ZodIssue, kind: SourceKind): string {
  if (issue.code === 'unrecognized_keys') return `${kind.kind} has no setting ${issue.keys.map(optionOf).join(', ')}`;
  const setting = String(path[0] ?? '');
  // The message of a secret may quote it.
  const what = kind.secrets.includes(setting) ? 'expected another text' : message;
  return `${optionOf(setting)}: ${what}`;
}
