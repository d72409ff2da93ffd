/** A registry that lacks a platform's package makes npm leave it out of the lock file without a word. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the lock file names every platform, or a clean install refuses it', () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const locked = Object.keys(packages);
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !locked.some((path) => path.endsWith(`node_modules/${name}`))),
  );
  expect(missing).toEqual([]);
});
