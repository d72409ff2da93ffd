/** When the internet of a site was down, from its events. */
import type { Check } from '../../../shared/api/checks.ts';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import { reasonText } from '../../text/said-texts.ts';
import type { Stretch } from '../../ui/chart/band.tsx';
import type { TimeSpan } from '../../ui/chart/time-span.ts';

export type InternetState = 'there' | 'lost' | 'unknown';

type Events = readonly (Pick<DeviceEvent, 'type' | 'at' | 'detail'> & { reasonCode?: DeviceEvent['reasonCode'] })[];
type Judged = Pick<Check, 'createdAt' | 'state' | 'since'> & Partial<Pick<Check, 'reason' | 'reasonCode'>>;

export interface Outage {
  from: number;
  /** Null: it goes on. */
  to: number | null;
  why: string | null;
}

/** The newest last. @param events `internet-lost` and `internet-back`, in any order */
export function outagesOf(check: Judged, events: Events): Outage[] {
  const outages = events.flatMap(({ type, at, detail, reasonCode }): Outage[] => {
    const end = Date.parse(at);
    const seconds = detail?.seconds;
    if (type !== 'internet-back' || typeof seconds !== 'number') return [];
    const why = typeof detail?.why === 'string' ? reasonText(detail.why, reasonCode) : null;
    return [{ from: end - seconds * 1000, to: end, why }];
  });
  if (check.state === 'down' && check.since !== null) {
    const why = reasonText(check.reason ?? null, check.reasonCode);
    outages.push({ from: Date.parse(check.since), to: null, why });
  }
  return outages.sort((one, other) => one.from - other.from);
}

/** Without gaps; unknown before the check began. */
export function stretchesOf(check: Judged, events: Events, { from, to }: TimeSpan): Stretch<InternetState>[] {
  const lost = outagesOf(check, events).map((one) => ({ from: one.from, to: one.to ?? to }));

  const begin = Math.min(to, Math.max(from, Math.min(Date.parse(check.createdAt), ...lost.map((one) => one.from))));
  const stretches: Stretch<InternetState>[] = [];
  let known = from;
  const add = (state: InternetState, until: number) => {
    if (until > known) stretches.push({ state, from: known, to: until });
    known = Math.max(known, until);
  };
  add('unknown', begin);
  for (const outage of lost) {
    add('there', Math.min(outage.from, to));
    add('lost', Math.min(outage.to, to));
  }
  add('there', to);
  return stretches;
}
