import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultGateway } from '../checks/internet.ts';
import { macosGateway } from './default-routes.ts';

const ROUTE =
  '   route to: default\ndestination: default\n       mask: default\n    gateway: 192.168.1.1\n  interface: en0\n';

test('the gateway of macOS', () => {
  expect(macosGateway(ROUTE)).toBe('192.168.1.1');
  expect(macosGateway('route: writing to routing socket: not in table\n')).toBeNull();
});

test('whatever is printed is read without a fault', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...ROUTE.split('\n')));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      macosGateway(lines.join('\n'));
    }),
  );
});

test('a system is asked for its gateway in its own way', async () => {
  const asked: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    asked.push([program, ...args].join(' '));
    return { stdout: ROUTE, stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
  };
  expect(await defaultGateway(run, new AbortController().signal, 'macos')).toBe('192.168.1.1');
  expect(asked).toEqual(['route -n get default']);
});
