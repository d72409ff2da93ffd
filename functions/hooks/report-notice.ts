/** The report of a hook: of its site, on the devices that the hook has chosen, else on favourites. */
import type { Site } from '../../shared/api/records.ts';
import { boundsOf, periodTitle } from '../../shared/report-period.ts';
import { isFavourite, type ReportContext, siteReport } from '../monitoring/reports/site-report.ts';
import { fits } from './chosen.ts';
import type { dueReport } from './digests.ts';
import type { StoredHook } from './hook-store.ts';
import type { Notice } from './steps.ts';

type Due = NonNullable<ReturnType<typeof dueReport>>;

/** Made of what is stored, so that a second attempt sends the same report under the same id. */
export async function reportNotice(
  context: ReportContext,
  site: Site,
  { only, report, createdBy: actor }: StoredHook,
  { period, timeZone, dueAt }: Due,
): Promise<Notice> {
  const chosen =
    only === undefined
      ? isFavourite
      : (device: Parameters<typeof isFavourite>[0]) => fits(only, device.key, device.record);
  const made = await siteReport(context, { ...site, timeZone }, boundsOf(period, timeZone), chosen);
  const language = report?.at.language ?? 'en';
  const at = dueAt.toISOString();
  return {
    ...{ id: `report_${period.text.toLowerCase().replace('-', '')}`, at, recordedAt: at, actor },
    ...{ type: 'report', cause: 'report', device: null, changes: {} },
    report: { title: periodTitle(period, language), period: period.text, language, site: made },
  };
}
