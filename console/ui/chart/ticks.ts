/** The ticks of scales. */
import { dayMonthText, minuteText, monthText } from '../../text/format.ts';
import type { TimeSpan } from './time-span.ts';

interface Tick {
  at: number;
  label: string;
}

const HOUR = 60;
const DAY = 24 * HOUR;
/** Minutes; months, which differ in length, follow below. */
const STEPS = [5, 10, 15, 30, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY];
const MONTHS = [1, 2, 3, 6];
const MONTH_MS = 30 * DAY * 60_000;

/** At most `most` times, even by the viewer's clock: full hours, midnights, first days of months. */
export function timeTicks({ from, to }: TimeSpan, most: number): Tick[] {
  const length = to - from;
  const step = STEPS.find((minutes) => length / (minutes * 60_000) <= most);
  if (step !== undefined) return within({ from, to }, (begin, i) => minutesLater(begin, i * step), labelOf(step));
  const months = MONTHS.find((count) => length / (count * MONTH_MS) <= most) ?? 12;
  return within({ from, to }, (begin, i) => new Date(begin.getFullYear(), i * months), monthText);
}

function labelOf(step: number): (time: Date) => string {
  return step >= DAY
    ? dayMonthText
    : (time) => (time.getHours() + time.getMinutes() === 0 ? dayMonthText(time) : minuteText(time));
}

/** By the clock, so that days of 23 or 25 hours shift no ticks. */
function minutesLater(begin: Date, minutes: number): Date {
  return new Date(begin.getFullYear(), begin.getMonth(), begin.getDate(), 0, minutes);
}

function within({ from, to }: TimeSpan, tick: (begin: Date, i: number) => Date, label: (time: Date) => string): Tick[] {
  const begin = new Date(from);
  const ticks: Tick[] = [];
  for (let i = 0; ; i++) {
    const time = tick(begin, i);
    if (time.getTime() > to) return ticks;
    if (time.getTime() >= from) ticks.push({ at: time.getTime(), label: label(time) });
  }
}

/** Even values from 0 to the end of the scale. */
export function valueTicks(greatest: number): number[] {
  if (greatest <= 0) return [0, 1];
  const rough = greatest / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => power * factor >= rough) ?? 10);
  const count = Math.ceil(greatest / step - 1e-9);
  // Without the errors of binary fractions, such as 0.30000000000000004.
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}
