/** The direction of imports, and the few places that may reach outside. See "Code map" in ARCHITECTURE.md. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const SIDES = [
  'shared',
  'store',
  'api',
  'agent',
  'local',
  'cdk',
  'client',
  'cli',
  'console',
  'packaging',
  'specification',
  'test',
  'scripts',
] as const;
type Side = (typeof SIDES)[number];

interface Source {
  /** Relative to the root, with forward slashes. */
  file: string;
  side: Side;
  text: string;
  isTest: boolean;
  imports: { from: string; names: string }[];
}

/** What each side may import besides itself. Tests may use everything. */
const MAY_IMPORT: Record<Side, readonly Side[]> = {
  shared: [],
  store: ['shared'],
  api: ['shared', 'store'],
  agent: ['shared'],
  client: ['shared'],
  cli: ['shared', 'client'],
  console: ['shared', 'client'],
  local: ['shared', 'store', 'api', 'agent'],
  cdk: ['shared', 'store', 'api', 'agent'],
  packaging: [],
  specification: ['shared', 'api'],
  test: SIDES,
  scripts: ['shared'],
};

test('every folder has a rule here, and every rule a folder', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const folders = new Set(files.filter((file) => /^[^.].*\//.test(file)).map((file) => file.split('/')[0]));
  expect([...folders].sort()).toEqual([...SIDES, 'docs'].sort());
});

const sources = SIDES.flatMap((side) => filesOf(side).map((file) => read(side, file)));
const programs = sources.filter(({ isTest }) => !isTest);

function filesOf(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter(
      (entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => posix.relative(ROOT, join(entry.parentPath, entry.name)));
}

function read(side: Side, file: string): Source {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements = /^(?:import|export)\s+(?:type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm;
  const calls = /\bimport\('([^']+)'\)/g;
  const imports = [
    ...[...text.matchAll(statements)].map(([, names = '', from = '']) => ({ names, from })),
    ...[...text.matchAll(calls)].map(([, from = '']) => ({ names: '', from })),
  ];
  // What stands in a folder `testing` serves the tests beside it.
  return { file, side, text, isTest: /\.test\.|\.lab\.|\/testing\/|^test\//.test(file), imports };
}

/** `file: import` for every import that breaks a rule. */
function offences(
  among: readonly Source[],
  isAllowed: (source: Source, from: string, names: string) => boolean,
): string[] {
  return among.flatMap((source) =>
    source.imports
      .filter(({ from, names }) => !isAllowed(source, from, names))
      .map(({ from }) => `${source.file}: ${from}`),
  );
}

/** The side that an import leads to; null for packages and for Node's own modules. */
function sideOf({ file }: Source, from: string): string | null {
  return from.startsWith('.') ? (posix.join(posix.dirname(file), from).split('/')[0] ?? null) : null;
}

test('the walk sees the project', () => {
  expect(programs.length).toBeGreaterThan(50);
  expect(programs.find(({ file }) => file === 'shared/agent/wire.ts')?.imports.map(({ from }) => from)).toEqual([
    'node:zlib',
    'zod',
    './measurements.ts',
    './messages.ts',
    './plan.ts',
    './topics.ts',
  ]);
});

test('imports follow the direction of the parts', () => {
  expect(
    offences(programs, (source, from) => {
      const side = sideOf(source, from);
      // The version of the whole stands in package.json.
      return (
        side === null ||
        side === 'package.json' ||
        side === source.side ||
        (MAY_IMPORT[source.side] as readonly string[]).includes(side)
      );
    }),
  ).toEqual([]);
});

test('no file imports one that imports it, directly or through others', () => {
  const imported = new Map(
    programs.map(({ file, imports }) => [
      file,
      imports.filter(({ from }) => from.startsWith('.')).map(({ from }) => posix.join(posix.dirname(file), from)),
    ]),
  );
  const circles: string[] = [];
  const left = new Set<string>();
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (way.includes(file) || left.has(file)) return;
    for (const other of imported.get(file) ?? []) visit(other, [...way, file]);
    left.add(file);
  };
  for (const file of imported.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

test('tests that stand beside their file keep to the sides that may know each other', () => {
  const inside = sources.filter(({ isTest, side }) => isTest && side !== 'test');
  expect(
    offences(inside, (source, from) => {
      const side = sideOf(source, from);
      const pair = [source.side, side];
      return !((pair.includes('api') || pair.includes('store')) && pair.includes('agent'));
    }),
  ).toEqual([]);
});

test('shared does no I/O: it imports zod, and what does none where both sides need it', () => {
  const ofNode = [
    'shared/agent/wire.ts node:zlib',
    'shared/agent/planned-job.ts node:crypto',
    'shared/schedule-turns.ts croner',
  ];
  const allowed = (file: string, from: string) =>
    from.startsWith('.') || from === 'zod' || ofNode.includes(`${file} ${from}`);
  const shared = programs.filter(({ side }) => side === 'shared');
  expect(offences(shared, ({ file }, from) => allowed(file, from))).toEqual([]);
});

test('shared uses what browsers have too, but where only agents and functions do', () => {
  const ofNode = /(?<![\w.'"`])(?:Buffer|process|global|setImmediate|require|__dirname|__filename)(?=[.([])/;
  const code = ({ text }: Source) => text.replaceAll(/\/\*.*?\*\/|\/\/.*$/gms, '');
  const users = programs.filter((source) => source.side === 'shared' && ofNode.test(code(source)));
  expect(users.map(({ file }) => file)).toEqual(['shared/agent/wire.ts']);
});

test('shared makes no number of whatever it is given: see queryInteger', () => {
  const coerced = programs.filter(({ side, text }) => side === 'shared' && /\bcoerce\b/.test(text));
  expect(coerced.map(({ file }) => file)).toEqual([]);
});

test('one file of each side starts processes', () => {
  const starters = ['agent/host/run-process.ts', 'local/child-process.ts', 'cli/client/browser.ts'];
  expect(
    offences(programs, ({ file, side }, from) => {
      return from !== 'node:child_process' || starters.includes(file) || side === 'scripts';
    }),
  ).toEqual([]);
});

test('only config.ts of each side reads the environment', () => {
  const readers = programs.filter(({ text }) => /\bprocess\s*(?:\.\s*env\b|\[\s*['"]env)/.test(text));
  const others = readers.filter(({ file, side }) => basename(file) !== 'config.ts' && side !== 'scripts');
  expect(others.map(({ file }) => file)).toEqual([]);
});

test('Hono stays at the edge: api/http, the Lambda entries and the local server', () => {
  const edge = /^api\/http\/|^api\/lambda\/|^local\//;
  expect(offences(programs, ({ file }, from) => !/^(?:hono|@hono)(?:\/|$)/.test(from) || edge.test(file))).toEqual([]);
});

test('the AWS SDK stays behind the registry, the queue of hooks, a secret and the search for credentials', () => {
  const behind =
    /^api\/access\/iot-core-registry\.ts$|^api\/commands\/publisher\.ts$|^store\/dynamodb\.ts$|^api\/lambda\/sqs-sender\.ts$|^api\/people\/stored-secret\.ts$|^local\/aws-credentials\.ts$|^cdk\//;
  expect(offences(programs, ({ file }, from) => !from.startsWith('@aws-sdk/') || behind.test(file))).toEqual([]);
});

test('zod is imported as a namespace: the named import makes every bundle 370 KB larger', () => {
  expect(offences(sources, (_, from, names) => from !== 'zod' || names === '* as z')).toEqual([]);
});

test('files are named after what they know', () => {
  const names = sources
    .map(({ file }) => file)
    .filter((file) => /(?:^|\/)(?:index|utils?|helpers?|common|misc)\.\w+$/.test(file));
  expect(names).toEqual([]);
});

test('relative imports name the file itself', () => {
  expect(offences(sources, (_, from) => !from.startsWith('.') || /\.(?:tsx?|mjs|json|css|svg)$/.test(from))).toEqual(
    [],
  );
});
