/** A report as text, in the language of its reader: sections of lines, of which e-mails and the command line are made. */
import type { Availability, Downtime, SiteReport } from './api/reports.ts';
import { lengthText, portText } from './event-text.ts';
import { oneLine } from './text.ts';
import { type REPORT_LANGUAGES, UNKNOWN_NAMES } from './words.ts';

export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

export interface ReportSection {
  title: string;
  /** Of the columns; the first names the subject. */
  headings: readonly string[];
  rows: readonly (readonly string[])[];
  /** In place of rows, or below them. */
  note: string | null;
}

/** Lines of a section in an e-mail; the report in the console has all. */
const MAX_ROWS = 20;

const ENGLISH = {
  report: 'Report',
  site: 'Site',
  devices: (count: number) => `${count} ${count === 1 ? 'device' : 'devices'}`,
  more: (count: number) => `${count} more`,
  partial: 'There were too many changes to read all of them: the numbers are of the last part of the period.',
  downtimes: 'What was down',
  newDevices: 'New devices',
  availability: 'Availability',
  ports: 'Opened ports',
  speed: 'Internet speed',
  none: {
    downtimes: 'Nothing was down.',
    newDevices: 'No new devices.',
    availability: 'No favourites and no checks. Mark the devices that matter as favourites.',
    ports: 'No port was opened.',
    speed: 'No speed tests.',
  },
  headings: {
    downtimes: ['What', 'From', 'Duration', 'Cause'],
    newDevices: ['Device', 'Vendor', 'Address', 'First seen'],
    availability: ['What', 'Available', 'Outages', 'Monitored'],
    ports: ['Device', 'Port', 'Opened', 'Now'],
    speed: ['Download', 'Upload', 'Ping', 'Slowest download', 'Tests'],
  },
  kinds: {
    site: 'Whole site: no agent was connected',
    internet: 'Internet',
    outage: 'devices at once',
    agent: 'Agent',
    check: 'Check',
  },
  causes: {
    gateway: 'the gateway was gone',
    switch: 'a switch or an access point was gone',
    power: 'probably a power failure',
    devices: 'unknown',
  } as Record<string, string>,
  ongoing: 'not over',
  open: 'open',
  closed: 'closed again',
  unknown: 'not monitored',
  at: 'at',
  noName: 'without a name',
};

const GERMAN: typeof ENGLISH = {
  report: 'Bericht',
  site: 'Standort',
  devices: (count) => `${count} ${count === 1 ? 'Gerät' : 'Geräte'}`,
  more: (count) => `${count} weitere`,
  partial: 'Es gab zu viele Änderungen: Die Zahlen gelten nur für den letzten Teil des Zeitraums.',
  downtimes: 'Ausfälle',
  newDevices: 'Neue Geräte',
  availability: 'Verfügbarkeit',
  ports: 'Geöffnete Ports',
  speed: 'Internet-Geschwindigkeit',
  none: {
    downtimes: 'Keine Ausfälle.',
    newDevices: 'Keine neuen Geräte.',
    availability: 'Keine Favoriten und keine Prüfungen. Markieren Sie wichtige Geräte als Favoriten.',
    ports: 'Kein Port wurde geöffnet.',
    speed: 'Keine Geschwindigkeitstests.',
  },
  headings: {
    downtimes: ['Was', 'Von', 'Dauer', 'Ursache'],
    newDevices: ['Gerät', 'Hersteller', 'Adresse', 'Zuerst gesehen'],
    availability: ['Was', 'Verfügbar', 'Ausfälle', 'Überwacht'],
    ports: ['Gerät', 'Port', 'Geöffnet', 'Jetzt'],
    speed: ['Download', 'Upload', 'Ping', 'Langsamster Download', 'Tests'],
  },
  kinds: {
    site: 'Ganzer Standort: kein Agent war verbunden',
    internet: 'Internet',
    outage: 'Geräte auf einmal',
    agent: 'Agent',
    check: 'Prüfung',
  },
  causes: {
    gateway: 'das Gateway war weg',
    switch: 'ein Switch oder Access Point war weg',
    power: 'vermutlich Stromausfall',
    devices: 'unbekannt',
  },
  ongoing: 'dauert an',
  open: 'offen',
  closed: 'wieder geschlossen',
  unknown: 'nicht überwacht',
  at: 'an',
  noName: 'ohne Namen',
};

export const reportWords = (language: ReportLanguage): typeof ENGLISH => (language === 'de' ? GERMAN : ENGLISH);

interface Options {
  /** Rows of each section. */
  most?: number;
  /** The reason in the language, where it is not known by its cause alone. */
  reasonOf?: (downtime: Downtime) => string | null;
}

export function reportSections(
  report: SiteReport,
  language: ReportLanguage,
  { most = MAX_ROWS, reasonOf = ({ why }) => (language === 'en' ? why : null) }: Options = {},
): ReportSection[] {
  const words = reportWords(language);
  const { timeZone, speed } = report;
  const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...{ timeZone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  const when = (time: string) => format.format(new Date(time));
  const number = (value: number, digits = 1) => value.toLocaleString(language, { maximumFractionDigits: digits });
  const percent = (value: number | null) => (value === null ? words.unknown : `${number(floored(value), 2)} %`);
  const section = (name: keyof typeof words.none, rows: string[][], count = rows.length): ReportSection => {
    const shown = rows.slice(0, most);
    const more = count - shown.length;
    return {
      title: words[name],
      headings: words.headings[name],
      rows: shown,
      note: count === 0 ? words.none[name] : more > 0 ? words.more(more) : null,
    };
  };
  const downtime = (one: Downtime) => [
    downtimeName(one, language),
    when(one.since),
    one.until === null ? `${lengthText(one.seconds)}, ${words.ongoing}` : lengthText(one.seconds),
    reasonOf(one) ?? words.causes[one.cause ?? ''] ?? '',
  ];
  const available = ({ kind, name, uptimePercent, times, knownPercent }: Availability) => [
    kind === 'check' ? `${words.kinds.check} ${name}` : calledIn(words, { name }),
    percent(uptimePercent),
    times === null ? '' : String(times),
    knownPercent === null ? '' : percent(knownPercent),
  ];
  return [
    section('downtimes', report.downtimes.map(downtime), report.downtimeCount),
    section('availability', report.availability.map(available)),
    section(
      'newDevices',
      report.newDevices.map((one) => [calledIn(words, one), one.vendor, one.ip, when(one.at)]),
      report.newCount,
    ),
    section(
      'ports',
      report.ports.map(({ device, port, at, isOpen }) => [
        ...[calledIn(words, device), portText(port, words.at)],
        ...[when(at), isOpen ? words.open : words.closed],
      ]),
      report.portCount,
    ),
    section(
      'speed',
      speed === null
        ? []
        : [
            [
              ...[`${number(speed.downMbps)} Mbit/s`, `${number(speed.upMbps)} Mbit/s`, `${number(speed.pingMs)} ms`],
              ...[`${number(speed.slowestMbps)} Mbit/s`, String(speed.tests)],
            ],
          ],
    ),
  ];
}

/** A section in lines: each value behind its heading, without columns, which a proportional font would not align. */
export function sectionText({ title, headings, rows, note }: ReportSection): string {
  const lines = rows.map(([subject = '', ...cells]) => {
    const values = cells.flatMap((cell, i) => (cell === '' ? [] : [`${headings[i + 1]} ${cell}`]));
    return oneLine([`- ${subject}`, ...values].join(' · '));
  });
  return [title.toUpperCase(), ...lines, ...(note === null ? [] : [note])].join('\n');
}

function calledIn({ noName }: typeof ENGLISH, { name, mac = '' }: { name: string; mac?: string }): string {
  return name === '' || UNKNOWN_NAMES.includes(name) ? mac || noName : name;
}

function downtimeName({ kind, name, count = 0 }: Downtime, language: ReportLanguage): string {
  const words = reportWords(language);
  const { kinds } = words;
  if (kind === 'device') return calledIn(words, { name });
  if (kind === 'outage') return `${count} ${kinds.outage}`;
  return kind === 'site' || kind === 'internet' ? kinds[kind] : `${kinds[kind]} ${name}`;
}

/** Two decimals, never rounded up to 100. */
const floored = (percent: number) => Math.floor(percent * 100) / 100;
