/** `lanreach report` */
import { InvalidArgumentError, Option } from 'commander';
import type { SiteReport } from '../../shared/api/reports.ts';
import { parsePeriod, periodTitle } from '../../shared/report-period.ts';
import { type ReportLanguage, reportSections, reportWords, sectionText } from '../../shared/report-text.ts';
import { oneLine } from '../../shared/text.ts';
import { REPORT_LANGUAGES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { noteUnreadable } from '../client/session.ts';
import type { Command } from '../command.ts';

interface Options {
  sites?: string;
  month?: string;
  week?: string;
  timeZone?: string;
  language: ReportLanguage;
}

const ALL_ROWS = 200;

export function addReportCommand(own: Command): void {
  own
    .withOnlySites()
    .option('--month <month>', 'such as 2026-10; default: the last complete one', periodOf('month', '2026-10'))
    .option('--week <week>', 'an ISO week instead, such as 2026-W44', periodOf('week', '2026-W44'))
    .option('--time-zone <zone>', 'whose midnights and times; default: that of each site')
    .addOption(new Option('--language <language>', 'of the text').choices(REPORT_LANGUAGES).default('en'))
    .run(async (session, { sites, month, week, timeZone, language }: Options) => {
      if (month !== undefined && week !== undefined) throw new Failure('usage', 'Use --month or --week, not both');
      const query = { period: month ?? week, sites, timeZone };
      let page = await session.client.ask('GET /reports', { query });
      const whole = { ...page, sites: [...page.sites], unreadable: [...page.unreadable] };
      while (page.nextCursor !== null) {
        page = await session.client.ask('GET /reports', { query: { ...query, cursor: page.nextCursor } });
        whole.sites.push(...page.sites);
        whole.unreadable.push(...page.unreadable);
      }
      await session.show({ ...whole, nextCursor: null }, () =>
        whole.sites.map((site) => textOf(site, whole.period, language)).join('\n'),
      );
      noteUnreadable(session, whole.unreadable);
    });
}

function periodOf(every: 'week' | 'month', example: string) {
  return (text: string) => {
    if (parsePeriod(text)?.every !== every) throw new InvalidArgumentError(`Expected a ${every} such as ${example}.`);
    return text;
  };
}

function textOf(site: SiteReport, period: string, language: ReportLanguage): string {
  const words = reportWords(language);
  const parsed = parsePeriod(period);
  const title = `${site.name} (${site.site}) · ${words.report}, ${parsed === null ? period : periodTitle(parsed, language)}`;
  const about = `${words.devices(site.devices)} · ${site.timeZone}`;
  const sections = reportSections(site, language, { most: ALL_ROWS }).map(sectionText);
  return [oneLine(title), about, ...(site.isPartial ? [words.partial] : []), '', sections.join('\n\n'), ''].join('\n');
}
