/** How long something lasted, in words, and in no more than two units. */
import texts from 'messages:device';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function periodText(ms: number): string {
  const [days, hours, minutes] = [
    Math.floor(ms / DAY_MS),
    Math.floor((ms % DAY_MS) / HOUR_MS),
    Math.floor((ms % HOUR_MS) / MINUTE_MS),
  ];
  if (days === 0 && hours === 0 && minutes === 0) return texts.lessThanAMinute;
  const units = [
    ...(days > 0 ? [texts.days({ count: days })] : []),
    ...(hours > 0 ? [texts.hours({ count: hours })] : []),
    ...(days === 0 && minutes > 0 ? [texts.minutes({ count: minutes })] : []),
  ];
  return units.join(' ');
}
