/** The e-mail for the notification of an event: plain and HTML, in the thread of what it ends. */
import type { HookEvent } from '../../shared/api/hook-events.ts';
import type { SiteReport } from '../../shared/api/reports.ts';
import {
  type ReportLanguage,
  type ReportSection,
  reportSections,
  reportWords,
  sectionText,
} from '../../shared/report-text.ts';
import { legibleData, startOf } from '../../shared/text.ts';
import { downtimeIn } from '../monitoring/reports/downtimes.ts';
import type { Thread } from './hook-store.ts';
import { asItIs, linkTo, type Notification, oneLine, textFor } from './message.ts';

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The same in every attempt, so that most mailboxes show a repeated message once. */
  messageId: string;
  /** The id of the first message of its thread. */
  inReplyTo: string | null;
  headers: Record<string, string>;
}

export interface ReportContent {
  /** Its days, such as `October 2026`. */
  title: string;
  /** Its month or week, for links. */
  period: string;
  language: ReportLanguage;
  site: SiteReport;
}

export type SentEvent = HookEvent & { report?: ReportContent };

interface MailNotification extends Notification {
  event: SentEvent;
  /** The hook, for the link to its settings; null for a test before it is added. */
  hook: string | null;
  /** Of the reader. */
  timeZone: string;
  /** By what is down: see `Progress` of a hook. */
  threads: Readonly<Record<string, Thread>>;
}

const MAX_SUBJECT_CHARACTERS = 150;
/** Downtimes whose thread is kept. */
const MAX_THREADS = 50;

/** @param from the address of the sender */
export function mailFor(to: string, from: string, notification: MailNotification): Mail {
  const event = legibleData(notification.event);
  const { webhookId, console, hook, timeZone } = notification;
  const domain = from.split('@')[1] ?? '';
  const thread = threadOf(notification.threads, event);
  const subject = thread === null ? subjectOf(event) : `Re: ${thread.subject}`;
  const settings = console === null || hook === null ? null : `${console}#/sites/${event.site}/notifications/${hook}`;
  const content = contentOf(event, { timeZone, link: console === null ? null : linkOf(console, event), settings });
  return {
    ...{ to, subject, text: textOf(content), html: htmlOf(content, subject) },
    messageId: `<${webhookId}@${domain}>`,
    inReplyTo: thread === null ? null : `<${thread.id}@${domain}>`,
    headers: {
      'Auto-Submitted': 'auto-generated', // RFC 3834: no out-of-office reply.
      'X-Auto-Response-Suppress': 'All',
      'List-Id': `<${event.site}.lanreach.${domain}>`,
      ...(settings === null ? {} : { 'List-Unsubscribe': `<${settings}>` }),
    },
  };
}

/** The threads after an event was sent with this id: the e-mail about a downtime begins one, and that about its end ends it. */
export function threadsAfter(
  threads: Readonly<Record<string, Thread>>,
  event: SentEvent,
  id: string,
): Record<string, Thread> {
  const downtime = downtimeIn(event);
  if (downtime === null) return threads;
  const others = Object.entries(threads).filter(([key]) => key !== downtime.key);
  const own = downtime.begins ? [[downtime.key, { id, subject: subjectOf(legibleData(event)) }] as const] : [];
  return Object.fromEntries([...others, ...own].slice(-MAX_THREADS));
}

function threadOf(threads: Readonly<Record<string, Thread>>, event: SentEvent): Thread | null {
  const downtime = downtimeIn(event);
  return (downtime?.begins === false && Object.hasOwn(threads, downtime.key) && threads[downtime.key]) || null;
}

/** Without line breaks, which would begin another header. */
function subjectOf(event: SentEvent): string {
  const { report, site } = event;
  const [first = ''] = textFor(event, asItIs).split('\n');
  const text = report === undefined ? first : `${site}: ${reportWords(report.language).report}, ${report.title}`;
  return startOf(oneLine(text).replace(/\.$/, ''), MAX_SUBJECT_CHARACTERS);
}

function linkOf(console: string, event: SentEvent): string {
  if (event.report === undefined) return linkTo(console, event);
  return `${console}#/report?${new URLSearchParams({ period: event.report.period, sites: event.site })}`;
}

const LINK_TEXTS: Record<ReportLanguage, string> = { en: 'Open in LanReach', de: 'In LanReach öffnen' };

interface Content {
  language: ReportLanguage;
  lines: string[];
  sections: ReportSection[];
  link: string | null;
  settings: string | null;
}

function contentOf(
  event: SentEvent,
  { timeZone, link, settings }: Pick<Content, 'link' | 'settings'> & { timeZone: string },
): Content {
  const { report } = event;
  if (report === undefined) {
    const when = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
    const lines = [...textFor(event, asItIs).split('\n').map(oneLine), when.format(new Date(event.at))];
    return { language: 'en', lines, sections: [], link, settings };
  }
  const { language, title, site } = report;
  const words = reportWords(language);
  const lines = [
    oneLine(`${site.name} · ${words.report}, ${title}`),
    `${words.devices(site.devices)} · ${site.timeZone}`,
    ...(site.isPartial ? [words.partial] : []),
  ];
  return { language, lines, sections: reportSections(site, language), link, settings };
}

function textOf({ lines, sections, link, settings }: Content): string {
  const parts = [
    lines.join('\n'),
    ...sections.map((section) => sectionText(section)),
    ...(link === null ? [] : [link]),
    `-- \nLanReach${settings === null ? '' : `\n${settings}`}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Names come from the LAN: every text is escaped. No pictures and no scripts; links lead to the console only. */
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const CELL = 'padding:4px 12px 4px 0;border-bottom:1px solid #8884;text-align:left;vertical-align:top';

function htmlOf({ language, lines, sections, link, settings }: Content, title: string): string {
  const [first = '', ...rest] = lines;
  const anchor = (url: string, text: string) => `<a href="${escaped(url)}">${escaped(text)}</a>`;
  const body = [
    `<h1 style="font-size:18px;margin:0 0 8px">${escaped(first)}</h1>`,
    ...rest.map((line) => `<p style="margin:0 0 4px">${escaped(line)}</p>`),
    ...sections.map((section) => sectionHtml(section)),
    ...(link === null ? [] : [`<p style="margin:16px 0">${anchor(link, LINK_TEXTS[language])}</p>`]),
    ...(settings === null
      ? []
      : [`<p style="margin:24px 0 0;font-size:12px;color:#777">${anchor(settings, settings)}</p>`]),
  ];
  const style = 'font:15px/1.5 system-ui,sans-serif;max-width:720px;margin:0 auto;padding:16px';
  const head = `<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title>`;
  return `<!doctype html>\n<html lang="${language}"><head>${head}</head>\n<body style="${style}">\n${body.join('\n')}\n</body></html>\n`;
}

function sectionHtml({ title, headings, rows, note }: ReportSection): string {
  const row = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag} style="${CELL}">${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const table =
    rows.length === 0
      ? ''
      : `<table style="border-collapse:collapse;font-size:14px">${row('th', headings)}${rows.map((cells) => row('td', cells)).join('\n')}</table>`;
  const below = note === null ? '' : `<p style="margin:4px 0;color:#777">${escaped(note)}</p>`;
  return `<h2 style="font-size:15px;margin:20px 0 4px">${escaped(title)}</h2>\n${table}${below}`;
}
