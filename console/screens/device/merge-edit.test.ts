import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { BLANK_DEVICE } from '../../../shared/device.ts';
import { editOf, isEmpty, meanwhile, rebased, TEXT_FIELDS, type Texts, textsOf } from './merge-edit.ts';

const device = (texts: Partial<Texts> = {}) => ({ ...BLANK_DEVICE, seenBy: [], ...texts }) as unknown as OneDevice;
const anyTexts: fc.Arbitrary<Texts> = fc.record(
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, fc.constantFrom('', 'a', 'b', 'c')])),
) as fc.Arbitrary<Texts>;

test('only what was changed is sent', () => {
  const known = device({ devName: 'nas', devType: 'NAS' });
  expect(editOf(known, { ...textsOf(known), devType: '' })).toEqual({ devType: '' });
  expect(isEmpty(editOf(known, textsOf(known)))).toBe(true);
});

test('another value for the same field is a conflict; the same value, and another field, are none', () => {
  const before = device({ devName: 'a', devType: 'x' });
  const now = device({ devName: 'b', devType: 'x', devGroup: 'g' });
  expect(meanwhile(before, now, { devName: 'c' })).toEqual({ conflicts: ['devName'], others: ['devGroup'] });
  expect(meanwhile(before, now, { devName: 'b' })).toEqual({ conflicts: [], others: ['devGroup'] });
  expect(meanwhile(before, now, { devType: 'y' })).toEqual({ conflicts: [], others: ['devName', 'devGroup'] });
});

test('a form on the new state keeps what was edited, has the rest as it is now, and sends what it would have sent', () => {
  fc.assert(
    fc.property(anyTexts, anyTexts, anyTexts, (was, is, form) => {
      const [before, now] = [device(was), device(is)];
      const texts = rebased(before, now, form);
      for (const field of TEXT_FIELDS) {
        expect(texts[field]).toBe(form[field] !== was[field] ? form[field] : is[field]);
      }
      const edit = editOf(before, form);
      expect({ ...is, ...edit }).toEqual({ ...is, ...editOf(now, texts) });
      const { conflicts } = meanwhile(before, now, edit);
      expect(conflicts.every((field) => edit[field] !== undefined)).toBe(true);
    }),
  );
});
