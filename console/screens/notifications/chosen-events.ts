/** The events, devices and times of a notification: as chosen in its form, and in a few words. */
import eventNames from 'messages:eventNames';
import texts from 'messages:notifications';
import type { EventType } from '../../../shared/api/events.ts';
import type { Only } from '../../../shared/api/hook-terms.ts';
import type { Hook } from '../../../shared/api/hooks.ts';
import { IMPORTANT_EVENTS } from '../../../shared/words.ts';
import { inSentence } from '../../text/in-sentence.ts';
import { kindText } from '../../text/kind-texts.ts';

export type Preset = keyof typeof texts.presets;
export const PRESET_IDS = Object.keys(texts.presets) as Preset[];

const PRESETS: Readonly<Record<Exclude<Preset, 'custom'>, readonly EventType[]>> = {
  important: IMPORTANT_EVENTS,
  new: ['new'],
  outages: ['down', 'site-dark', 'site-back', 'internet-lost', 'internet-back', 'outage', 'outage-over'],
};
/** Sent during quiet hours too, if chosen so. */
export const URGENT: readonly EventType[] = ['down', 'site-dark', 'internet-lost', 'outage', 'check-down'];
/** Names in a list; the others are counted. */
const MAX_NAMES = 3;

export function eventsOf(preset: Preset, custom: readonly EventType[]): readonly EventType[] {
  return preset === 'custom' ? custom : PRESETS[preset];
}

export function presetOf(events: readonly EventType[]): Preset {
  const is = (preset: readonly EventType[]) =>
    preset.length === events.length && preset.every((type) => events.includes(type));
  const found = Object.entries(PRESETS).find(([, preset]) => is(preset));
  return (found?.[0] as Preset | undefined) ?? 'custom';
}

/** Such as "New devices, outages · quiet 22–7". */
export function wordsOf({
  events,
  quiet,
  only,
  digest,
  report,
}: Pick<Hook, 'events' | 'quiet' | 'only' | 'digest' | 'report'>): string {
  const preset = presetOf(events);
  const { said } = texts;
  const parts = [
    ...(events.length === 0
      ? []
      : [preset === 'custom' ? listed(events.map((type) => inSentence(eventNames[type]))) : texts.presets[preset]]),
    ...(only === null ? [] : [said.only({ what: onlyText(only) })]),
    ...(quiet === null ? [] : [said.quiet({ from: shortClock(quiet.from), to: shortClock(quiet.to) })]),
    ...(digest === null
      ? []
      : [
          digest.every === 'day'
            ? said.daily({ at: digest.at })
            : said.weekly({ day: texts.weekdays[digest.weekday], at: digest.at }),
        ]),
    ...(report === null ? [] : [report.every === 'week' ? said.reportWeek : said.reportMonth]),
  ];
  const words = parts.join(' · ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function listed(names: readonly string[]): string {
  if (names.length <= MAX_NAMES + 1) return names.join(', ');
  return texts.said.and({ some: names.slice(0, MAX_NAMES).join(', '), more: names.length - MAX_NAMES });
}

function onlyText({ types = [], groups = [], devices = [], favourites = false }: Only): string {
  return listed([
    ...types.map(kindText),
    ...groups,
    ...(favourites ? [texts.said.favourites] : []),
    ...(devices.length === 0 ? [] : [texts.said.devices({ count: devices.length })]),
  ]);
}

/** `22` for `22:00`, and `7` for `07:00`. */
function shortClock(time: string): string {
  const [hour = '', minute = ''] = time.split(':');
  return minute === '00' ? String(Number(hour)) : time;
}

/** The chosen devices as tokens: `type:Camera`, `group:office`, `device:<key>`, `favourites`. */
export function tokensOf(only: Only | null): string[] {
  const { types = [], groups = [], devices = [], favourites = false } = only ?? {};
  return [
    ...types.map((type) => `type:${type}`),
    ...groups.map((group) => `group:${group}`),
    ...devices.map((device) => `device:${device}`),
    ...(favourites ? ['favourites'] : []),
  ];
}

export function onlyOf(tokens: readonly string[]): Only {
  const those = (kind: string) =>
    tokens.flatMap((one) => (one.startsWith(`${kind}:`) ? [one.slice(kind.length + 1)] : []));
  return {
    types: those('type'),
    groups: those('group'),
    devices: those('device'),
    favourites: tokens.includes('favourites'),
  };
}
