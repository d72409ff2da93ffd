/** The last day of a site, as a small band: whether its devices were monitored, and how many were online. */
import texts from 'messages:overview';
import { useEffect, useRef, useState } from 'react';
import { useAnswer } from '../../api/queries.ts';
import { DayBand } from '../../ui/sparkline.tsx';
import { PRESENCE_POLL_MS } from './day.ts';

/** Loads when it scrolls into view. */
export function OnlineBand({ site }: { site: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setInSight(true));
    if (place.current !== null) watcher.observe(place.current);
    return () => watcher.disconnect();
  }, []);
  const { data } = useAnswer('GET /devices/presence', { site }, { everyMs: PRESENCE_POLL_MS, when: isInSight });
  const known = data?.online.filter((count) => count !== null) ?? [];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const label = known.length === 0 ? texts.dayUnknown : texts.day({ isSteady: least === most, least, most });
  const slots = data?.online.map((count) => (count === null ? '?' : count === 0 ? '.' : '#')).join('') ?? '';
  return (
    <span ref={place} className="block h-2" title={label}>
      {data === undefined ? null : <DayBand {...{ slots, label }} width={144} height={8} />}
    </span>
  );
}
