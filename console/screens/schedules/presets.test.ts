import { expect, test } from 'vitest';
import { schedules } from '../../../shared/api/schedules.ts';
import { PRESETS, presetOf, timingOf } from './presets.ts';

test('each preset is a time that the API takes, and is known again', () => {
  for (const preset of PRESETS) {
    const timing = timingOf(preset, ' 30  22 * * 5 ');
    expect(schedules.addSchedule.body.safeParse({ name: 'one', tool: 'speedtest', ...timing }).success).toBe(true);
    const stored = { cron: null, everySeconds: null, ...timing };
    expect(presetOf(stored)).toBe(preset === 'cron' ? null : preset);
  }
});
