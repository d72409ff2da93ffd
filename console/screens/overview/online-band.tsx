/** The devices of a site online over the last day, as a small area. */
import texts from 'messages:overview';
import { useEffect, useRef, useState } from 'react';
import { dayText, usePresence } from './use-presence.ts';

const WIDTH = 144;
const HEIGHT = 28;

/** Loads when it scrolls into view. @param all the devices: the height of the area */
export function OnlineBand({ site, all }: { site: string; all: number }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isInSight, setInSight] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && setInSight(true));
    if (place.current !== null) watcher.observe(place.current);
    return () => watcher.disconnect();
  }, []);
  const { data } = usePresence(site, isInSight);
  return (
    <span ref={place} className="block w-36 max-w-full h-7">
      {data === undefined ? null : <Area online={data.online} all={all} />}
    </span>
  );
}

function Area({ online, all }: { online: readonly (number | null)[]; all: number }) {
  const known = online.filter((count) => count !== null);
  const most = Math.max(1, all, ...known);
  const step = WIDTH / Math.max(1, online.length);
  const y = (count: number) => HEIGHT - 1 - (count / most) * (HEIGHT - 2);
  const label = known.length === 0 ? texts.dayUnknown : dayText(known);
  return (
    <svg className="block size-full" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <path className="fill-none stroke-control-line [stroke-dasharray:1_3]" d={`M0 ${HEIGHT - 1}h${WIDTH}`} />
      {runsOf(online).map(({ from, counts }) => {
        const line = counts.map((count, i) => {
          const x = (from + i) * step;
          return `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y(count).toFixed(1)}h${step.toFixed(1)}`;
        });
        const begin = (from * step).toFixed(1);
        return (
          <g key={from}>
            <path className="fill-series-1 opacity-14" d={`${line.join('')}V${HEIGHT}H${begin}Z`} />
            <path className="fill-none stroke-series-1 stroke-[1.25]" d={line.join('')} />
          </g>
        );
      })}
    </svg>
  );
}

function runsOf(online: readonly (number | null)[]): { from: number; counts: number[] }[] {
  const runs: { from: number; counts: number[] }[] = [];
  online.forEach((count, i) => {
    if (count === null) return;
    const last = runs.at(-1);
    if (last !== undefined && last.from + last.counts.length === i) last.counts.push(count);
    else runs.push({ from: i, counts: [count] });
  });
  return runs;
}
