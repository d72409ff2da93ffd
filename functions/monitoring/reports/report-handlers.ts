/** `/reports`: what happened at sites in a month or a week. */
import type { Site } from '../../../shared/api/records.ts';
import type { reports as operations } from '../../../shared/api/reports.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { problemOf } from '../../../shared/problem.ts';
import { boundsOf, lastPeriod } from '../../../shared/report-period.ts';
import { JOURNAL_DAYS } from '../../devices/collection/journal.ts';
import type { Handlers } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid } from '../../http/errors.ts';
import { reachIn } from '../../sites/many-sites.ts';
import { readSites } from '../../sites/site-state.ts';
import { type Chosen, isFavourite, siteReport } from './site-report.ts';

type ReportsContext = RequestContext<'devices' | 'checks' | 'series' | 'months'>;

export const reportsHandlers: Handlers<typeof operations, ReportsContext> = {
  async getReports(context, { reach }, { period: wanted, sites, devices, timeZone, limit, cursor }) {
    const now = context.now();
    const period = wanted ?? lastPeriod('month', timeZone ?? 'UTC', now);
    const refuse = (message: string) => invalid('query.period', message);
    const { since } = boundsOf(period, timeZone ?? 'UTC');
    if (since > now) throw refuse('expected a month or a week that has begun');
    if (since.getTime() < now.getTime() - JOURNAL_DAYS * 86_400_000)
      throw refuse(`expected a month or a week that began within the last ${JOURNAL_DAYS} days`);
    const keys = devices === undefined ? null : new Set(devices);
    const chosen: Chosen = keys === null ? isFavourite : ({ key }) => keys.has(key);
    const page = await context.sites.page(reachIn(sites, reach), cursor ?? null, limit);
    const reported = await readSites(page.sites, async (site: Site) => {
      const zone = timeZone ?? site.timeZone;
      try {
        return await siteReport(context, { ...site, timeZone: zone }, boundsOf(period, zone), chosen);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        return { id: site.id, problem: problemOf(error) };
      }
    });
    return {
      success: true,
      period: period.text,
      sites: reported.flatMap((one) => ('site' in one ? [one] : [])),
      unreadable: [...page.unreadable, ...reported.flatMap((one) => ('problem' in one ? [one] : []))],
      nextCursor: page.next,
    };
  },
};
