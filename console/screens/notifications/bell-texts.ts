/** The texts of the bell. */
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';

export const bellTexts = inLanguage(
  {
    title: 'Recent events',
    titleOf: (count: string) => `Recent events: ${count} unread`,
    heading: 'Recent events',
    markRead: 'Mark all as read',
    none: 'Nothing important has happened',
    noneWhy: 'New devices, outages and other important events appear here.',
    allEvents: 'All events',
    settings: 'Notifications',
    inBrowser: 'Also show in this browser',
    inBrowserHow: 'While a tab of LanReach is open.',
    refused: 'The browser does not allow it. Allow notifications for this page in its settings.',
    several: (count: number) => plural(count, 'important event'),
    more: (count: number) => `${numberText(count)}+`,
    unread: 'unread',
  },
  {
    title: 'Letzte Ereignisse',
    titleOf: (count) => `Letzte Ereignisse: ${count} ungelesen`,
    heading: 'Letzte Ereignisse',
    markRead: 'Alle als gelesen markieren',
    none: 'Nichts Wichtiges ist passiert',
    noneWhy: 'Hier erscheinen neue Geräte, Ausfälle und andere wichtige Ereignisse.',
    allEvents: 'Alle Ereignisse',
    settings: 'Benachrichtigungen',
    inBrowser: 'Auch in diesem Browser melden',
    inBrowserHow: 'Solange ein Tab von LanReach offen ist.',
    refused: 'Der Browser erlaubt es nicht. Erlauben Sie Benachrichtigungen für diese Seite in seinen Einstellungen.',
    several: (count) => plural(count, 'wichtiges Ereignis', 'wichtige Ereignisse'),
    more: (count) => `${numberText(count)}+`,
    unread: 'ungelesen',
  },
);
