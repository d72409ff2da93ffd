/** The source files of the project, and what each imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Source {
  /** Relative to the root, with forward slashes. */
  file: string;
  /** The top-level folder. */
  side: string;
  text: string;
  isTest: boolean;
  imports: { from: string; names: string; isType: boolean }[];
}

function read(file: string): Source {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements = /^(?:import|export)\s+(?<type>type\s+)?(?:(?<names>[^'";]*?)\s+from\s+)?'(?<from>[^']+)'/gm;
  const calls = /\bimport\('(?<from>[^']+)'\)/g;
  const imports = [...text.matchAll(statements), ...text.matchAll(calls)].map(({ groups = {} }) => {
    const { type, names = '', from = '' } = groups;
    return { names, from, isType: type !== undefined };
  });
  const [side = ''] = file.split('/');
  return { file, side, text, isTest: /\.test\.|^test\//.test(file), imports };
}

export const sources = inject('trackedFiles')
  .filter((file) => file.includes('/') && /\.(?:tsx?|mjs)$/.test(file))
  .map(read);
/** Those that are no tests. */
export const programs = sources.filter(({ isTest }) => !isTest);
