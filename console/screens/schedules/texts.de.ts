/** The German texts of the schedules. */
import { numberText, plural } from '../../text/format.ts';
import type { Preset } from './presets.ts';

export const german = {
  title: 'Zeitpläne',
  intro: 'Agenten führen sie selbst aus, auch wenn dieser Dienst nicht erreichbar ist.',
  list: 'Zeitpläne',
  add: 'Zeitplan anlegen',
  none: 'Noch kein Zeitplan',
  noneWhy: 'Scannen Sie jede Nacht die Ports, oder messen Sie alle sechs Stunden die Geschwindigkeit.',
  unreadable: 'Diese Zeitpläne sind gespeichert, aber nicht lesbar:',
  name: 'Name',
  nameHint: 'Sonst: was läuft, und wann.',
  what: 'Was',
  tool: 'Werkzeug',
  when: 'Wann',
  next: 'Nächster Lauf',
  last: 'Letzter Lauf',
  never: 'noch nicht gelaufen',
  noNext: 'kein weiterer Lauf',
  paused: 'angehalten',
  active: 'An',
  actions: 'Aktionen',
  more: (name: string) => `Mehr: ${name}`,
  runs: 'Ausführungen',
  onOff: (name: string) => `${name}: an`,
  marks: (all: number, failed: number) =>
    failed === 0
      ? `Die letzten ${numberText(all)} sind gelungen`
      : `${numberText(failed)} der letzten ${numberText(all)} sind gescheitert`,
  nowPaused: 'Der Zeitplan ist angehalten.',
  nowOn: 'Der Zeitplan läuft weiter.',
  remove: 'Löschen …',
  removeNow: 'Löschen',
  removeTitle: (name: string) => `Zeitplan ${name} löschen?`,
  removeWhat: 'Er läuft dann nicht mehr. Seine Ausführungen bleiben in der Liste.',
  removed: 'Der Zeitplan wurde gelöscht.',
  missed: (count: number) => `${plural(count, 'Lauf', 'Läufe')} verpasst, zuletzt`,
  presets: {
    nightly: 'Jede Nacht um 02:00',
    hourly: 'Jede Stunde',
    sixHourly: 'Alle 6 Stunden',
    morning: 'Jeden Morgen um 07:00',
    weekly: 'Jeden Montag um 06:00',
    cron: 'Eigene Zeit …',
  } satisfies Record<Preset, string>,
  cron: 'Cron-Ausdruck',
  cronHint: 'Minute, Stunde, Tag, Monat, Wochentag: 30 22 * * 5 ist freitags um 22:30.',
  timeZone: (zone: string) => `Nach der Uhr des Standorts: ${zone}.`,
  inZone: (when: string, zone: string) => `${when} (${zone})`,
  added: 'Der Zeitplan wurde angelegt.',
};
