/** The fields of the form of a notification, and the body of its request. */
import type { EventType } from '../../../shared/api/events.ts';
import type { Hook } from '../../../shared/api/hooks.ts';
import type { ReportTime, WEEKDAYS } from '../../../shared/schedule-terms.ts';
import { spoken } from '../../text/language.ts';
import { eventsOf, onlyOf, type Preset, presetOf, tokensOf, URGENT } from './chosen-events.ts';
import { type Answers, firstAnswers, NO_ANSWERS, type ServiceId } from './services.tsx';

export interface Values extends Answers {
  name: string;
  preset: Preset;
  events: readonly EventType[];
  skipRandomMacs: boolean;
  isQuiet: boolean;
  from: string;
  to: string;
  exceptUrgent: boolean;
  isOnly: boolean;
  only: readonly string[];
  digest: 'none' | 'day' | 'week';
  weekday: (typeof WEEKDAYS)[number];
  /** `07:00`. */
  digestAt: string;
  /** Only by e-mail. */
  report: 'none' | 'week' | 'month';
  reportAt: string;
  reportLanguage: ReportTime['language'];
}

const FIRST: Omit<Values, keyof Answers> = {
  name: '',
  preset: 'important',
  events: ['new', 'down'],
  skipRandomMacs: false,
  isQuiet: false,
  from: '22:00',
  to: '07:00',
  exceptUrgent: true,
  isOnly: false,
  only: [],
  digest: 'none',
  weekday: 'monday',
  digestAt: '07:00',
  report: 'none',
  reportAt: '07:00',
  reportLanguage: spoken,
};

/** By e-mail a report, elsewhere a summary of the changes. */
const reportBy = (service: ServiceId): Partial<Values> =>
  ({ preset: 'custom', events: [], ...(service === 'email' ? { report: 'week' } : { digest: 'week' }) }) as const;

export function newValues(service: ServiceId, isReport: boolean): Values {
  return { ...FIRST, ...(isReport ? reportBy(service) : {}), ...firstAnswers(service) };
}

/** The URL of a stored one is secret, and stays unless its fields are filled in. */
export function valuesOf({ name, events, skipRandomMacs, quiet, only, digest, report }: Hook): Values {
  const preset = presetOf(events);
  return {
    ...FIRST,
    ...NO_ANSWERS,
    name: name ?? '',
    ...{ preset, events, skipRandomMacs },
    ...(quiet === null
      ? {}
      : { isQuiet: true, from: quiet.from, to: quiet.to, exceptUrgent: (quiet.exceptEvents ?? []).length > 0 }),
    ...(only === null ? {} : { isOnly: true, only: tokensOf(only) }),
    ...(digest === null ? {} : { digest: digest.every, digestAt: digest.at }),
    ...(digest?.every === 'week' ? { weekday: digest.weekday } : {}),
    ...(report === null ? {} : { report: report.every, reportAt: report.at, reportLanguage: report.language }),
  };
}

/** The body without the URL. @param before the stored one */
export function settingsOf(values: Values, before: Pick<Hook, 'report'> | null = null) {
  const { name, preset, events, skipRandomMacs, isQuiet, from, to, exceptUrgent, isOnly, only } = values;
  return {
    name: name.trim() === '' ? null : name.trim(),
    events: [...eventsOf(preset, events)],
    skipRandomMacs,
    quiet: isQuiet ? { from, to, ...(exceptUrgent ? { exceptEvents: [...URGENT] } : {}) } : null,
    only: isOnly ? onlyOf(only) : null,
    digest: digestOf(values),
    report: reportOf(values, before?.report?.timeZone),
  };
}

/** The time zone of the reader, which only the API sets, stays. */
function reportOf({ report, reportAt: at, reportLanguage }: Values, timeZone: string | undefined): Hook['report'] {
  if (report === 'none') return null;
  return { every: report, at, language: reportLanguage, ...(timeZone === undefined ? {} : { timeZone }) };
}

function digestOf({ digest, weekday, digestAt: at }: Values): Hook['digest'] {
  if (digest === 'none') return null;
  return digest === 'day' ? { every: 'day', at } : { every: 'week', weekday, at };
}
