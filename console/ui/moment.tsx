/** A moment as a clock says it, for sentences such as "since 16:03"; `Time` says how long ago it was. */
import { parseTime, utcText } from '../text/format.ts';
import { useNow } from './time.tsx';

const clock = new Intl.DateTimeFormat(navigator.language, { timeStyle: 'short' });
const dateAndClock = new Intl.DateTimeFormat(navigator.language, { dateStyle: 'medium', timeStyle: 'short' });

/** @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  const today = new Date(useNow()).toDateString();
  const time = parseTime(at);
  if (time === null) return null;
  return (
    <time dateTime={time.toISOString()} title={utcText(time)}>
      {(time.toDateString() === today ? clock : dateAndClock).format(time)}
    </time>
  );
}
