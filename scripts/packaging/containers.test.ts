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
  ['scripts/packaging/Containerfile', 'lanreach-agent', 'agent'],
  ['scripts/packaging/system/Containerfile', 'lanreach-server', 'server'],
])(
  '%s builds %s from these sources, of which there is a package for both processors, and installs it',
  (file, name, of) => {
    const { architectures } = JSON.parse(read('scripts/packaging/node-runtime.json'));
    expect(Object.keys(architectures)).toEqual(expect.arrayContaining(['amd64', 'arm64']));
    const text = read(file);
    expect(text).toContain(`scripts/package.mjs "$@" --of ${of} --only deb --architecture "$TARGETARCH"`);
    expect(text).toContain(`/packages/${name}_*.deb`);
    const needed = ['package.json', 'package-lock.json', '.npmrc', 'scripts/package.mjs', 'console/package.json'];
    const copied = [...text.matchAll(/^COPY (\S+\/\S+) \S+$/gm)].map(([, path = '']) => path);
    for (const path of [...needed, 'docs/openapi.json', ...copied])
      expect([path, existsSync(join(ROOT, path)), isLeftOut(path)]).toEqual([path, true, false]);
    const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
    const [program, command] = JSON.parse(entry);
    expect(copied.map((path) => path.replace(/^.*\/|\.sh$/g, ''))).toContain(program);
    expect(command).toBe(name);
    expect(text).toMatch(/^HEALTHCHECK /m);
  },
);

test('the rules that are tested are read as they are meant', () => {
  const left = [
    'dist/local.js',
    'dist/packages/lanreach-agent_0.3.0_amd64.deb',
    'node_modules/zod/index.js',
    '.git/config',
  ];
  expect(left.map(isLeftOut)).toEqual([true, true, true, true]);
  // The public key, by which the agent in the image takes updates.
  expect(isLeftOut('dist/packages/release-key.pem')).toBe(false);
});

test('compose builds what is there, sets only what the server reads, and gives it no more rights than it needs', () => {
  const { services, volumes } = parse(read('compose.yaml'));
  const { server } = services;
  expect(existsSync(join(ROOT, server.build.context, server.build.dockerfile))).toBe(true);
  expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(Object.keys(server.environment)));
  expect([server.network_mode, server.restart, server.privileged]).toEqual(['host', 'unless-stopped', undefined]);
  expect([server.read_only, server.security_opt]).toEqual([true, ['no-new-privileges:true']]);
  // The entry gives up all but the first: see container-entry.sh.
  expect(server.cap_drop).toEqual(['ALL']);
  expect(server.cap_add).toEqual(['NET_RAW', 'CHOWN', 'DAC_READ_SEARCH', 'SETGID', 'SETPCAP', 'SETUID']);
  expect([Object.keys(volumes), server.volumes]).toEqual([['data'], ['data:/data']]);
  expect(read('scripts/packaging/system/Containerfile')).toContain('VOLUME /data');
});
