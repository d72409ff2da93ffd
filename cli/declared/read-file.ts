/** Reads a file that says how sites are to be: YAML, of which JSON is a part. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parse, YAMLError } from 'yaml';
import { DeclaredFile, withVariables } from '../../shared/declared/file.ts';
import { Failure, unreadableFile } from '../client/failure.ts';
import type { World } from '../client/world.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_FAULTS = 20;
/** What repeats itself in a file of YAML; more of it than anybody writes could fill the memory. */
const MAX_ALIASES = 1_000;

/**
 * @param path `-` for standard input
 * @throws {Failure} that names each field that is wrong
 */
export async function readDeclared({ env, stdin }: World, path: string): Promise<DeclaredFile> {
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
  const { file, missing } = withVariables(read, env);
  if (missing.length > 0)
    throw new Failure('failure', `${path} names variables of the environment that are not set: ${missing.join(', ')}`);
  const parsed = DeclaredFile.safeParse(file);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path: at, message }) => `  ${at.map(String).join('.') || 'file'}: ${message}`,
  );
  const more = faults.length > MAX_FAULTS ? [`  … and ${faults.length - MAX_FAULTS} more`] : [];
  throw new Failure('failure', [`${path} cannot be used:`, ...faults.slice(0, MAX_FAULTS), ...more].join('\n'));
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw tooLarge(path);
    return await readFile(path);
  } catch (error) {
    throw error instanceof Failure ? error : unreadableFile(path, error as Error);
  }
}

const tooLarge = (path: string) => new Failure('failure', `${path} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
