/** The texts of the changes. */
import type { EventSubject } from '../../../shared/api/events.ts';

export const texts = {
  title: (site: string) => `Changes in ${site}`,
  since: 'Since',
  until: 'Until',
  spans: 'Time',
  yesterday: 'Since yesterday',
  friday: 'Since Friday',
  week: '7 days',
  month: '30 days',
  list: 'What has changed, by device',
  none: 'Nothing has changed',
  noneWhy: 'Choose an earlier day to look further back. Changes are kept for 90 days.',
  truncated: 'There was more than fits here. A shorter time shows all of it.',
  unreadable: 'These entries cannot be read, and what they say is missing here:',
  unnamed: 'a device without a name',
  site: 'The site',
  subjects: { site: 'The site', internet: 'Internet', outage: 'Outage' } as Partial<
    Record<EventSubject['kind'], string>
  >,
  all: 'Every event',
};
