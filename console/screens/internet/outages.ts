/** When the internet of a site was down, from its events. */
import type { Check } from '../../../shared/api/checks.ts';
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Stretch } from '../../ui/chart/band.tsx';
import type { TimeSpan } from '../../ui/chart/time-span.ts';

export type InternetState = 'there' | 'lost' | 'unknown';

/** Without gaps; unknown before the check began. @param events `internet-lost` and `internet-back`, in any order */
export function stretchesOf(
  check: Pick<Check, 'createdAt' | 'state' | 'since'>,
  events: readonly Pick<DeviceEvent, 'type' | 'at' | 'detail'>[],
  { from, to }: TimeSpan,
): Stretch<InternetState>[] {
  const lost = events.flatMap(({ type, at, detail }): TimeSpan[] => {
    const end = Date.parse(at);
    const seconds = detail?.seconds;
    return type === 'internet-back' && typeof seconds === 'number' ? [{ from: end - seconds * 1000, to: end }] : [];
  });
  if (check.state === 'down' && check.since !== null) lost.push({ from: Date.parse(check.since), to });
  lost.sort((one, other) => one.from - other.from);

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
