/** What a person fills in of a notification, and what is sent of it. */
import type { EventType } from '../../../shared/api/events.ts';
import type { Hook } from '../../../shared/api/hooks.ts';
import type { WEEKDAYS } from '../../../shared/schedule-terms.ts';
import { eventsOf, onlyOf, type Preset, presetOf, tokensOf, URGENT } from './chosen-events.ts';
import { type Answers, firstAnswers, type ServiceId } from './services.tsx';

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
}

const FIRST: Omit<Values, keyof Answers> = {
  name: '',
  preset: 'important',
  events: ['new', 'down'],
  skipRandomMacs: false,
  isQuiet: false,
  ...{ from: '22:00', to: '07:00', exceptUrgent: true },
  ...{ isOnly: false, only: [] },
  digest: 'none',
  weekday: 'monday',
  digestAt: '07:00',
};

/** Of a new one: with what most people want to hear of. */
export function newValues(service: ServiceId): Values {
  return { ...FIRST, ...firstAnswers(service) };
}

/** Of one that there is. Where it leads is secret, and stays as it is unless something is filled in. */
export function valuesOf({ name, events, skipRandomMacs, quiet, only, digest }: Hook): Values {
  const preset = presetOf(events);
  return {
    ...FIRST,
    ...{ server: '', topic: '', url: '', botToken: '', chat: '', appToken: '', userKey: '' },
    name: name ?? '',
    ...{ preset, events, skipRandomMacs },
    ...(quiet === null
      ? {}
      : { isQuiet: true, from: quiet.from, to: quiet.to, exceptUrgent: (quiet.exceptEvents ?? []).length > 0 }),
    ...(only === null ? {} : { isOnly: true, only: tokensOf(only) }),
    ...(digest === null ? {} : { digest: digest.every, digestAt: digest.at }),
    ...(digest?.every === 'week' ? { weekday: digest.weekday } : {}),
  };
}

/** All but where it leads. */
export function settingsOf(values: Values) {
  const { name, preset, events, skipRandomMacs, isQuiet, from, to, exceptUrgent, isOnly, only } = values;
  return {
    name: name.trim() === '' ? null : name.trim(),
    events: [...eventsOf(preset, events)],
    skipRandomMacs,
    quiet: isQuiet ? { from, to, ...(exceptUrgent ? { exceptEvents: [...URGENT] } : {}) } : null,
    only: isOnly ? onlyOf(only) : null,
    digest: digestOf(values),
  };
}

function digestOf({ digest, weekday, digestAt: at }: Values): Hook['digest'] {
  if (digest === 'none') return null;
  return digest === 'day' ? { every: 'day', at } : { every: 'week', weekday, at };
}
