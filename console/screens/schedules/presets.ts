/** The times offered for a schedule. */

export type Preset = 'nightly' | 'hourly' | 'sixHourly' | 'morning' | 'weekly' | 'cron';

/** As the API takes them; `cron` is entered by hand. */
const TIMES = {
  nightly: { cron: '0 2 * * *' },
  sixHourly: { everySeconds: 21_600 },
  hourly: { everySeconds: 3_600 },
  morning: { cron: '0 7 * * *' },
  weekly: { cron: '0 6 * * 1' },
} as const;
export const PRESETS = [...Object.keys(TIMES), 'cron'] as Preset[];

export function timingOf(preset: Preset, cron: string): { cron: string } | { everySeconds: number } {
  return preset === 'cron' ? { cron: cron.trim().replace(/\s+/g, ' ') } : TIMES[preset];
}

/** Null for another time. */
export function presetOf(timing: { cron: string | null; everySeconds: number | null }): Preset | null {
  const known = PRESETS.find((preset) => {
    if (preset === 'cron') return false;
    const one: { cron?: string; everySeconds?: number } = TIMES[preset];
    return (one.cron ?? null) === timing.cron && (one.everySeconds ?? null) === timing.everySeconds;
  });
  return known ?? null;
}
