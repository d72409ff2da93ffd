import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../shared/time.ts';
import { makeTestAuthority } from '../../test/support/test-authority.ts';
import { certificateRequest } from './certificate-request.ts';
import { renewalDue, retryAfterMs } from './renewal.ts';

test('a certificate is due before two thirds of its life are over, and not long before', async () => {
  const authority = await makeTestAuthority(); // Its certificates hold from yesterday until tomorrow.
  const due: number[] = [];
  for (let i = 0; i < 20; i++) {
    const { csr } = await certificateRequest();
    const certificate = await authority.certify(csr, 'home:main');
    due.push(renewalDue(certificate) - Date.now() + DAY_MS);
    expect(renewalDue(certificate)).toBe(renewalDue(certificate));
  }
  expect(Math.max(...due)).toBeLessThan((2 * DAY_MS * 2) / 3 + 60_000);
  expect(Math.min(...due)).toBeGreaterThan((2 * DAY_MS * 2 * 0.9) / 3 - 60_000);
  expect(new Set(due.map((ms) => Math.round(ms / 60_000))).size).toBeGreaterThan(10);
});

test('a certificate that holds for decades is due within a year', async () => {
  const authority = await makeTestAuthority({ days: 9_000 });
  const { csr } = await certificateRequest();
  const due = renewalDue(await authority.certify(csr, 'home:main')) - Date.now();
  expect(due / DAY_MS).toBeGreaterThan(320);
  expect(due / DAY_MS).toBeLessThan(366);
});

test('another try comes later each time, never after more than a tenth of what is left, and never at once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS }),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, leftMs, isRefused, random) => {
        const ms = retryAfterMs(failures, leftMs, isRefused, random);
        expect(ms).toBeGreaterThanOrEqual(500);
        expect(ms).toBeLessThanOrEqual(6 * 3_600_000);
        if (leftMs > 10_000) expect(ms).toBeLessThanOrEqual(leftMs / 10);
        expect(retryAfterMs(failures + 1, leftMs, isRefused, random)).toBeGreaterThanOrEqual(ms);
      },
    ),
  );
  expect(retryAfterMs(1, 100 * DAY_MS, false, 1)).toBe(60_000);
  expect(retryAfterMs(1, 100 * DAY_MS, true, 1)).toBe(6 * 3_600_000);
});
