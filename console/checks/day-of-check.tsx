/** The last 24 hours of a check, for a row of a list. */
import type { Check } from '../../shared/api/checks.ts';
import { useAnswer } from '../api/queries.ts';
import { DayBand } from '../ui/sparkline.tsx';
import { useNow } from '../ui/time.tsx';
import { checkTexts } from './check-texts.ts';
import { DAY_HOURS, hoursOf } from './day.ts';

const HOUR_MS = 3_600_000;
/** Long, because a list has many of them. */
const EVERY_MS = 300_000;

export function DayOfCheck({ site, check: { id, label } }: { site: string; check: Pick<Check, 'id' | 'label'> }) {
  const from = (Math.floor(useNow() / HOUR_MS) - DAY_HOURS + 1) * HOUR_MS;
  const query = { check: id, since: new Date(from).toISOString(), resolution: '1h' };
  const { data } = useAnswer('GET /series', { site, query }, { everyMs: EVERY_MS });
  if (data === undefined) return null;
  const { uptimePercent = null } = data.summary;
  const slots = hoursOf(data.series, from / 1000);
  return <DayBand isAwayBad slots={slots} label={checkTexts.day(label, uptimePercent)} width={96} />;
}
