import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeGroup, ChangeSentence, SentencePart } from '../../../shared/api/changes.ts';
import { beginOfDay, byDay, dayOf, daysBefore, lastFriday } from './days.ts';
import { withoutNoOps } from './no-op.ts';

test('the last Friday is a Friday, and 1 to 7 days ago', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }), (now) => {
      const friday = lastFriday(now);
      expect(new Date(beginOfDay(friday) ?? '').getDay()).toBe(5);
      expect(Array.from({ length: 7 }, (_, i) => daysBefore(now, i + 1))).toContain(friday);
    }),
  );
});

test('a day begins at midnight by the clock of the viewer, and ends with the next one', () => {
  const begin = new Date(beginOfDay('2026-11-01') ?? '');
  expect([begin.getHours(), dayOf(begin)]).toEqual([0, '2026-11-01']);
  expect(dayOf(new Date(beginOfDay('2026-11-30', 1) ?? ''))).toBe('2026-12-01');
  for (const text of ['', 'yesterday', '2026-1-1', '2026-11-01T00:00:00Z']) expect(beginOfDay(text)).toBeNull();
});

test('changes are grouped by day, the newest first, also within a day', () => {
  const sentence = (at: string) => ({ at, type: 'online' as const, text: at, count: 1 });
  const group = (name: string, ...times: string[]): ChangeGroup => ({
    device: { mac: '', key: name, name },
    subject: null,
    count: times.length,
    sentences: times.map(sentence),
  });
  const noon = (day: number, minute: number) => new Date(2026, 10, day, 12, minute).toISOString();
  const days = byDay([group('nas', noon(1, 0), noon(2, 1), noon(2, 5)), group('tv', noon(1, 7), noon(2, 3))]);
  const shown = days.map(({ day, groups }) =>
    [day, ...groups.map((one) => `${one.group.device?.name} ${one.sentences.length}`)].join(', '),
  );
  expect(shown).toEqual(['2026-11-02, nas 2, tv 1', '2026-11-01, tv 1, nas 1']);
});

test('what is as it was in the end is no change; what else the device did stays', () => {
  const sentence = (...textCodes: SentencePart[]): ChangeSentence => {
    const text = textCodes.map(({ code }) => code).join();
    return { at: '2026-11-01T08:15:00.000Z', type: 'edited', text, textCodes, count: 2 };
  };
  const ports = { ports: [], more: 0 };
  const back = sentence({ code: 'renamed', values: { chain: ['nas', 'backup', 'nas'] } });
  const renamed = sentence({ code: 'renamed', values: { chain: ['nas', 'backup'] } });
  const opened = sentence({ code: 'ports-opened', values: { ...ports, end: 'undone' } });
  const kept = sentence(
    { code: 'ports-opened', values: { ...ports, end: 'undone' } },
    { code: 'ports-closed', values: { ...ports, end: 'kept' } },
  );
  const edited = sentence({ code: 'edited', values: { fields: [{ field: 'devOwner' }], more: 0 } });
  const older = { ...edited, textCodes: undefined };
  const group = (...sentences: ChangeSentence[]): ChangeGroup => ({ device: null, subject: null, count: 2, sentences });
  const left = withoutNoOps([group(back, renamed), group(opened, edited), group(kept), group(older)]);
  expect(left).toEqual([group(renamed), group(kept), group(older)]);
});
