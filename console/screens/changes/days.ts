/** Days as text (`2026-11-01`) in the viewer's time zone. */
import type { ChangeGroup, ChangeSentence } from '../../../shared/api/changes.ts';

export const KEPT_DAYS = 90;

export function dayOf(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

export function daysBefore(now: Date, days: number): string {
  return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));
}

export const lastFriday = (now: Date): string => daysBefore(now, ((now.getDay() + 1) % 7) + 1);

/** The beginning of a day, or `later` days after it, as ISO 8601; null: not a day. */
export function beginOfDay(day: string, later = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (date === undefined) return null;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** By the day of each sentence, the newest first, also within a day. */
export function byDay(changes: readonly ChangeGroup[]) {
  const days = new Map<string, { group: ChangeGroup; sentences: ChangeSentence[] }[]>();
  for (const group of changes) {
    for (const sentence of group.sentences) {
      const day = dayOf(new Date(sentence.at));
      const groups = days.get(day) ?? [];
      days.set(day, groups);
      const last = groups.at(-1);
      if (last?.group === group) last.sentences.push(sentence);
      else groups.push({ group, sentences: [sentence] });
    }
  }
  const lastOf = ({ sentences }: { sentences: readonly ChangeSentence[] }) => sentences.at(-1)?.at ?? '';
  return [...days]
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .map(([day, groups]) => ({ day, groups: groups.sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : -1)) }));
}
