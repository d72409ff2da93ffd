/** The packages bring, or name, every program that a tool declares; the server's for the agent that it starts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAMS, packageOf } from '../../shared/tools/list.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const needed = [...new Set(Object.keys(PROGRAMS).map(packageOf))].sort();

test.each(['debian/control', 'system/debian/control'])(
  '%s: the .deb depends on the packages of all programs that tools need, and on no other tools',
  (file) => {
    const [, depends = ''] = /^Depends: (.*)$/m.exec(read(file)) ?? [];
    const packages = depends.split(', ').map((dependency) => dependency.split(' ')[0] ?? '');
    // The others are what the Node.js in the .deb is linked with.
    expect(packages.filter((name) => !/^(?:lib|\$)/.test(name)).sort()).toEqual(needed);
  },
);

test('the npm package names them, since it cannot bring them', () => {
  const [, named = ''] = /on Linux; (.*) from the distribution/.exec(read('npm/agent.md')) ?? [];
  expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(needed);
});

test('the README of the project names them for the machine on which it is tried', () => {
  const [, named = ''] = /The first start installs (.*) if it may/.exec(read('../../README.md')) ?? [];
  expect([...named.matchAll(/`([^`]+)`/g)].map(([, name]) => name).sort()).toEqual(needed);
});
