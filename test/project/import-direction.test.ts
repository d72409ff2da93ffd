/** The direction of imports, and the few places that may reach outside. See "Code map" in ARCHITECTURE.md. */
import { basename, posix } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { programs, type Source, sources } from './sources.ts';

/** What each top-level folder may import besides itself. Tests may use everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  agent: ['shared'],
  functions: ['shared'],
  local: ['shared', 'functions', 'agent'],
  cdk: ['shared', 'functions'],
  client: ['shared'],
  cli: ['shared', 'client'],
  console: ['shared', 'client'],
  scripts: ['shared', 'functions', 'cdk', 'cli'],
  docs: [],
  test: ['shared', 'agent', 'functions', 'local', 'cdk', 'client', 'cli', 'console', 'scripts'],
};

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

test('the top-level folders are those that the rules know', () => {
  const folders = new Set(
    inject('trackedFiles')
      .filter((file) => /^[^.].*\//.test(file))
      .map((file) => file.split('/')[0]),
  );
  expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
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
        (MAY_IMPORT[source.side] ?? []).includes(side)
      );
    }),
  ).toEqual([]);
});

test('tests do background work only with the rights of its function', () => {
  const work =
    /\b(?:openIngest|openTurns|upkeep|removeDeleted|advanceRollOut|observeConnections|retirePrevious|makeFirstToken)\b/;
  const tests = sources.filter(({ isTest, file }) => isTest && file !== 'test/support/background-work.ts');
  const unjudged = (_: Source, from: string, names: string) => !from.includes('functions/') || !work.test(names);
  expect(offences(tests, unjudged)).toEqual([]);
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

describe('inside functions', () => {
  const roomOf = (file: string) => /^functions\/([^/]+)\//.exec(file)?.[1] ?? null;
  const inside = programs.filter(({ side }) => side === 'functions');
  const target = ({ file }: Source, from: string) => posix.join(posix.dirname(file), from);

  test('a room knows those below it, and some others by name', () => {
    const rooms = [
      ...['table', 'http', 'sites', 'devices', 'commands', 'access', 'monitoring', 'hooks', 'sightings'],
      ...['assistants', 'templates', 'status', 'groups'],
    ];
    expect([...new Set(inside.flatMap(({ file }) => roomOf(file) ?? []))].sort()).toEqual([...rooms].sort());
    const upward = inside.flatMap((source) =>
      source.imports.flatMap(({ from }) => {
        const [own, other] = [roomOf(source.file), from.startsWith('.') ? roomOf(target(source, from)) : null];
        return own !== null && other !== null && rooms.indexOf(other) > rooms.indexOf(own) ? [`${own} ${other}`] : [];
      }),
    );
    expect([...new Set(upward)].sort()).toEqual([
      ...['devices monitoring', 'http access', 'http commands'],
      ...['sites devices', 'sites monitoring', 'sites templates'],
    ]);
  });

  test('a store leads to no handler, to nothing of HTTP, and to no group, also not through others', () => {
    const byFile = new Map(inside.map((source) => [source.file, source]));
    const above =
      /handlers?\.ts$|^functions\/(?:groups|assistants)\/|^functions\/http\/(?!(?:audit-log|caller|reach|token)\.ts$)/;
    const reached = new Map<string, string>();
    const visit = (source: Source, store: string) => {
      for (const { from } of source.imports) {
        const next = byFile.get(from.startsWith('.') ? target(source, from) : '');
        if (next === undefined || reached.has(next.file)) continue;
        reached.set(next.file, store);
        visit(next, store);
      }
    };
    const stores = inside.filter(({ file }) => file.endsWith('-store.ts'));
    expect(stores.length).toBeGreaterThan(15);
    for (const store of stores) visit(store, store.file);
    expect([...reached].filter(([file]) => above.test(file))).toEqual([]);
  });
});

test('tests that stand beside their file keep to the sides that may know each other', () => {
  const inside = sources.filter(({ isTest, side }) => isTest && side !== 'test');
  expect(
    offences(inside, (source, from) => {
      const side = sideOf(source, from);
      const pair = [source.side, side];
      return !(pair.includes('functions') && pair.includes('agent'));
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

test('Hono stays at the edge: functions/http, the routes, the Lambda entries, and the local server', () => {
  const edge = /^functions\/(?:http|groups)\/|^functions\/access\/(?:authenticate|raw-routes|routes)\.ts$|^local\//;
  expect(offences(programs, ({ file }, from) => !/^(?:hono|@hono)(?:\/|$)/.test(from) || edge.test(file))).toEqual([]);
});

test('the AWS SDK stays behind the registry, the queue of tasks, a secret and the search for credentials', () => {
  const behind =
    /^functions\/sites\/agents\/iot-core-registry\.ts$|^functions\/commands\/publisher\.ts$|^functions\/table\/dynamodb\.ts$|^functions\/groups\/lambda\/queue\.ts$|^functions\/access\/people\/stored-secret\.ts$|^local\/aws-credentials\.ts$|^cdk\//;
  expect(offences(programs, ({ file }, from) => !from.startsWith('@aws-sdk/') || behind.test(file))).toEqual([]);
});

test('functions have the clock of their context, and that of the process for waits', () => {
  // What compares with times of other machines, or of before the process was frozen.
  const others =
    /^functions\/(?:access\/routes|commands\/(?:agent-dispatcher|connection|job-end|job-events|read-result|wait-for-job))\.ts$/;
  const readers = programs.filter(({ side, text }) => side === 'functions' && /\bDate\.now\(\)/.test(text));
  expect(readers.map(({ file }) => file).filter((file) => !others.test(file))).toEqual([]);
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
