/** Times as people say them. */

const SPANS = [
  { upTo: 60, unit: 1, letter: 's' },
  { upTo: 3_600, unit: 60, letter: 'm' },
  { upTo: 2 * 86_400, unit: 3_600, letter: 'h' },
  { upTo: 60 * 86_400, unit: 86_400, letter: 'd' },
];

/** `3m ago`, `in 5h`; the day, where that is far away. A text that is no time stays as it is. */
export function relativeTime(at: string, now = Date.now()): string {
  const moment = Date.parse(at);
  if (Number.isNaN(moment)) return at;
  const seconds = Math.round((now - moment) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 5) return 'now';
  const span = SPANS.find(({ upTo }) => distance < upTo);
  if (span === undefined) return localTime(new Date(moment)).slice(0, 10);
  const text = `${Math.floor(distance / span.unit)}${span.letter}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** Such as `2026-11-01 08:15`, by the clock of this computer, as the words of options are. */
export function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
