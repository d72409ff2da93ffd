import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINISHED } from '../../test/support/agent/finished.ts';
import { defaultGateway, macosGateway } from './internet.ts';

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

test('macOS has a gateway command of its own', async () => {
  const commands: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    commands.push([program, ...args].join(' '));
    return { ...FINISHED, stdout: ROUTE };
  };
  expect(await defaultGateway(run, new AbortController().signal, 'macos')).toBe('192.168.1.1');
  expect(commands).toEqual(['route -n get default']);
});
