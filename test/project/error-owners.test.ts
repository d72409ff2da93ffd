/** What fails outside of a call ends the process, unless somebody owns it: see the end of `local/main.ts`. */
import { expect, test } from 'vitest';
import { programs } from './sources.ts';

/** What runs for long. */
const SIDES = ['shared', 'functions', 'agent', 'local'];

const lasting = programs.filter(({ side }) => SIDES.includes(side));

/** The files in which something stands. */
const filesWith = (pattern: RegExp) => lasting.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

/** What a file calls of these modules, under the names by which it does. */
function made({ text }: { text: string }, modules: string, makers: readonly string[]): string[] {
  const imports = text.matchAll(new RegExp(`^import (?:\\w+, )?\\{([^}]*)\\} from 'node:(?:${modules})';`, 'gm'));
  return [...imports].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => {
      const [imported = '', as = imported] = name.trim().split(' as ');
      return makers.includes(imported) ? [as] : [];
    }),
  );
}

test('only the agent and the server decide what becomes of an error that nobody has handled', () => {
  expect(filesWith(/uncaughtException|unhandledRejection/)).toEqual(['agent/main.ts', 'local/main.ts']);
});

test('whoever opens a socket, listens on one or starts a program also listens for its errors', () => {
  const makers = ['connect', 'createConnection', 'createServer', 'createSocket', 'request', 'get', 'spawn', 'fork'];
  const opening = lasting.filter((one) => made(one, 'net|tls|dgram|https?|http2|child_process', makers).length > 0);
  expect(opening.length).toBeGreaterThan(8);
  expect(opening.filter(({ text }) => !/\.on(?:ce)?\('error'/.test(text)).map(({ file }) => file)).toEqual([]);
});

test('servers and UDP sockets, which can fail more than once, are listened to for good', () => {
  const makers = ['createServer', 'createSocket'];
  const servers = lasting.filter((one) => made(one, 'net|tls|dgram|https?|http2', makers).length > 0);
  expect(servers.length).toBeGreaterThan(5);
  expect(servers.filter(({ text }) => !/\.on\('error'/.test(text)).map(({ file }) => file)).toEqual([]);
  expect(filesWith(/\.(?:off|removeListener)\('error'|removeAllListeners\((?:'error')?\)/)).toEqual([]);
});

test('no timer and no event calls an asynchronous function, whose failure nobody would handle', () => {
  const calls = /\b(?:setTimeout|setInterval|setImmediate|nextTick|queueMicrotask)\(\s*async\b/;
  const events = /\.(?:once|on|addEventListener)\('\w+',\s*async\b/;
  // It handles all of its failures itself.
  expect(filesWith(calls)).toEqual(['agent/agent.ts']);
  expect(filesWith(events)).toEqual([]);
});

test('one place resolves names for a connection itself, and answers in a later tick', () => {
  expect(filesWith(/\blookup:/)).toEqual(['functions/hooks/send.ts']);
});
