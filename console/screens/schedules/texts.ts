/** The texts of the schedules. */
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import type { Preset } from './presets.ts';
import { german } from './texts.de.ts';

const english = {
  title: 'Schedules',
  intro: 'Agents run these by themselves, also while this service is out of reach.',
  list: 'Schedules',
  add: 'Add a schedule',
  none: 'No schedule yet',
  noneWhy: 'Scan ports every night, or measure the speed every six hours.',
  unreadable: 'These schedules are stored but cannot be read:',
  name: 'Name',
  nameHint: 'Default: what is run, and when.',
  what: 'What',
  tool: 'Tool',
  when: 'When',
  next: 'Next',
  last: 'Last',
  never: 'not run yet',
  noNext: 'no further run',
  paused: 'paused',
  active: 'On',
  actions: 'Actions',
  more: (name: string) => `More: ${name}`,
  runs: 'Its runs',
  onOff: (name: string) => `${name}: on`,
  marks: (all: number, failed: number) =>
    failed === 0
      ? `The last ${numberText(all)} succeeded`
      : `${numberText(failed)} of the last ${numberText(all)} failed`,
  nowPaused: 'The schedule is paused.',
  nowOn: 'The schedule goes on.',
  remove: 'Delete …',
  removeNow: 'Delete',
  removeTitle: (name: string) => `Delete the schedule ${name}?`,
  removeWhat: 'It is not run any more. Its runs stay in the list.',
  removed: 'The schedule was deleted.',
  missed: (count: number) => `${plural(count, 'run')} missed, the last`,
  presets: {
    nightly: 'Every night at 02:00',
    hourly: 'Every hour',
    sixHourly: 'Every 6 hours',
    morning: 'Every morning at 07:00',
    weekly: 'Every Monday at 06:00',
    cron: 'Custom …',
  } satisfies Record<Preset, string>,
  cron: 'Cron expression',
  cronHint: 'Minute, hour, day, month, weekday: 30 22 * * 5 is Friday at 22:30.',
  timeZone: (zone: string) => `By the clock of the site: ${zone}.`,
  inZone: (when: string, zone: string) => `${when} (${zone})`,
  added: 'The schedule was added.',
};

export const texts = inLanguage(english, german);
