import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectionLimits, openFilesLimit } from './open-files.ts';

test('with few open files there are fewer connections, which is said; others keep their number', () => {
  expect(connectionLimits(524_288)).toEqual({ http: 2_500, broker: 10_000, warning: null });
  expect(connectionLimits(null)).toEqual({ http: 2_500, broker: 10_000, warning: null });
  const warning = expect.stringContaining(
    '1024 files open, so at most 432 connections to the API and 432 to the broker',
  );
  expect(connectionLimits(1_024)).toEqual({ http: 432, broker: 432, warning });
});

test('property: all connections together leave files to the rest, wherever there are more than two hundred', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 100_000 }), (openFiles) => {
      const { http, broker } = connectionLimits(openFiles);
      expect(http + broker).toBeLessThanOrEqual(openFiles - 160);
      expect(Math.min(http, broker)).toBeGreaterThanOrEqual(16);
    }),
  );
});

test.runIf(process.platform === 'linux')('the limit of this process is known', () => {
  expect(openFilesLimit()).toBeGreaterThan(0);
});
