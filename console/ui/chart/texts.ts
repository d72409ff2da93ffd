/** The texts of charts. */
import { plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';
import type { SpanName } from './time-span.ts';

const english = {
  span: 'Time span',
  spans: {
    '1h': '1 hour',
    '24h': '24 hours',
    '7d': '7 days',
    '30d': '30 days',
    '1y': '1 year',
  } satisfies Record<SpanName, string>,
  lastSpans: {
    '1h': 'the last hour',
    '24h': 'the last 24 hours',
    '7d': 'the last 7 days',
    '30d': 'the last 30 days',
    '1y': 'the last year',
  } satisfies Record<SpanName, string>,
  chart: (title: string) => `${title}; arrow keys go from one time to the next`,
  nobody: 'nobody measured',
  nothing: 'Nothing was measured in this time.',
  noAnswer: 'no answer',
  range: (low: string, high: string) => `${low} to ${high}`,
  asChart: 'Chart',
  table: 'Table',
  tableOf: (title: string) => `${title}, the latest first`,
  when: 'When',
  leftOut: (count: number) => `${plural(count, 'earlier row')} not shown.`,
};

export const texts = inLanguage(english, german);
