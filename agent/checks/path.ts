/** The path to another site, and which of its changes count. */
import type { ToolResult } from '../../shared/tools/list.ts';

type Trace = ToolResult<'traceroute'>;

/** The addresses that answered at each hop, several with load balancing. Null when the trace did not reach the end. */
export function hopsOf({ reached, hops }: Trace): string[][] | null {
  return reached ? hops.map(addressesOf) : null;
}

export function endOf({ hops }: Trace): string | null {
  return hops.flatMap(addressesOf).at(-1) ?? null;
}

function addressesOf({ probes }: Trace['hops'][number]): string[] {
  return [...new Set(probes.flatMap(({ address }) => (address === null ? [] : [address])))];
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
