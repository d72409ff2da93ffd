/** The texts of the changes. */
import type { EventSubject } from '../../../shared/api/events.ts';
import { numberText } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';

type SubjectNames = Partial<Record<EventSubject['kind'], string>>;

export const texts = inLanguage(
  {
    title: 'Changes',
    span: 'What changed since',
    spans: { yesterday: 'Yesterday', friday: 'Friday', week: '7 days ago', month: '30 days ago', date: 'A date' },
    since: 'Since',
    until: 'Until',
    today: 'Today',
    yesterday: 'Yesterday',
    list: 'What has changed, by day and device',
    none: 'Nothing has changed',
    noneWhy: 'Choose an earlier day to look further back. Changes are kept for 90 days.',
    shortNone: 'Nothing has changed.',
    truncated: 'There was more than fits here. A shorter time shows all of it.',
    unreadable: 'These entries cannot be read, and what they say is missing here:',
    site: 'Site',
    subjects: { site: 'Site', internet: 'Internet', outage: 'Outage' } as SubjectNames,
    all: 'Every single event',
    more: (count: number) => `${numberText(count)} more`,
    showAll: 'All changes',
  },
  {
    title: 'Änderungen',
    span: 'Was hat sich geändert seit',
    spans: { yesterday: 'Gestern', friday: 'Freitag', week: 'Vor 7 Tagen', month: 'Vor 30 Tagen', date: 'Datum' },
    since: 'Seit',
    until: 'Bis',
    today: 'Heute',
    yesterday: 'Gestern',
    list: 'Was sich geändert hat, nach Tag und Gerät',
    none: 'Nichts hat sich geändert',
    noneWhy: 'Wählen Sie einen früheren Tag. Änderungen bleiben 90 Tage erhalten.',
    shortNone: 'Nichts hat sich geändert.',
    truncated: 'Es gab mehr, als hier Platz hat. Eine kürzere Zeit zeigt alles.',
    unreadable: 'Diese Einträge sind nicht lesbar, und was darin steht, fehlt hier:',
    site: 'Standort',
    subjects: { site: 'Standort', internet: 'Internet', outage: 'Ausfall' },
    all: 'Jedes einzelne Ereignis',
    more: (count) => `${numberText(count)} weitere`,
    showAll: 'Alle Änderungen',
  },
);
