/** What became of a test event. */
import type { Delivery } from '../../../shared/api/hooks.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { Status } from '../../ui/status.tsx';
import { texts } from './texts.ts';

interface Props {
  site: string;
  hook: string;
  /** As it was begun. */
  started: Delivery;
}

/** The API has no operation for one delivery; a test stands at the beginning of the list. */
const LOOK_AT = 20;

export function TestResult({ site, hook, started }: Props) {
  const { data } = useAnswer(
    'GET /hooks/{hook}/deliveries',
    { site, params: { hook }, query: { limit: LOOK_AT } },
    { everyMs: POLL_MS.lively / 4 },
  );
  const { state, status, reason, attempts } = data?.deliveries.find(({ id }) => id === started.id) ?? started;
  if (state === 'delivered') return <Status tone="good">{texts.testDelivered(status)}</Status>;
  const why = reason ?? texts.noReason;
  if (state === 'dead') return <Status tone="bad">{texts.testDead(why)}</Status>;
  if (attempts > 0 && reason !== null) return <Status tone="warn">{texts.testFailing(why)}</Status>;
  return <Status tone="calm">{texts.testPending}</Status>;
}
