/** What the container files copy is there, and is not left out of what they may see. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../local/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Patterns of ours have no other wildcard. */
function matchesGlob(path: string, pattern: string): boolean {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replaceAll('.', '\\.'))
      .join('[^/]*')}$`,
  ).test(path);
}

/** As podman and BuildKit read `.dockerignore`: the last rule that matches a path, or a folder of it, counts. */
function isLeftOut(path: string): boolean {
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const parents = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  const matching = rules.filter((rule) => parents.some((part) => matchesGlob(part, rule.replace('!', ''))));
  return matching.at(-1)?.startsWith('!') === false;
}

test.each([
  ['scripts/packaging/Containerfile', 'lanreach-agent'],
  ['scripts/packaging/system/Containerfile', 'lanreach-server'],
])('%s installs %s, of which there is a package for both processors', (file, name) => {
  const copied = [...read(file).matchAll(/^COPY (\S+) \S+$/gm)].map(([, path = '']) => path);
  const [deb = '', ...others] = copied;
  const runtimes = Object.keys(JSON.parse(read('scripts/packaging/node-runtime.json')).architectures);
  for (const architecture of ['amd64', 'arm64']) {
    expect(runtimes).toContain(architecture);
    const made = `dist/packages/${name}_1.2.3_${architecture}.deb`;
    expect([made, matchesGlob(made, deb.replace(/\$\{TARGETARCH\}/, architecture))]).toEqual([made, true]);
    expect([made, isLeftOut(made)]).toEqual([made, false]);
  }
  for (const path of others) expect([path, existsSync(join(ROOT, path)), isLeftOut(path)]).toEqual([path, true, false]);
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(read(file)) ?? [];
  const [program, command] = JSON.parse(entry);
  expect(others.map((path) => path.replace(/^.*\/|\.sh$/g, ''))).toContain(program);
  expect(command).toBe(name);
  expect(read(file)).toMatch(/^HEALTHCHECK /m);
});

test('the rules that are tested are read as they are meant', () => {
  expect(['dist/local.js', 'node_modules/zod/index.js', '.git/config'].map(isLeftOut)).toEqual([true, true, true]);
});

test('compose builds what is there, and sets only what the server reads', () => {
  const { lanreach } = parse(read('scripts/packaging/system/compose.yaml')).services;
  const context = join('scripts/packaging/system', lanreach.build.context);
  expect(existsSync(join(ROOT, context, lanreach.build.dockerfile))).toBe(true);
  expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(Object.keys(lanreach.environment)));
  expect([lanreach.network_mode, lanreach.cap_add, lanreach.restart]).toEqual(['host', ['NET_RAW'], 'unless-stopped']);
});
