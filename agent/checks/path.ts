/** The path to another site, and which of its changes count. */
import type { ToolResult } from '../../shared/tools/list.ts';

/** The addresses that answered at each hop, several with load balancing. */
export function hopsOf({ hops }: ToolResult<'traceroute'>): string[][] {
  return hops.map(({ probes }) => [...new Set(probes.flatMap(({ address }) => address ?? []))]);
}

/** One address for each hop, empty for a silent one. */
export function pathOf(hops: readonly (readonly string[])[]): string[] {
  return hops.map(([first = '']) => first);
}

/** Whether a trace is consistent with the known path. A hop that is silent in either is no difference. */
export function isSamePath(known: readonly string[], hops: readonly (readonly string[])[]): boolean {
  return (
    known.length === hops.length &&
    hops.every((addresses, i) => known[i] === '' || addresses.length === 0 || addresses.includes(known[i] ?? ''))
  );
}
