/** The way to another site: which of its changes are told. */
import type { ToolResult } from '../../shared/tools/list.ts';

type Trace = ToolResult<'traceroute'>;

/** For each hop the addresses that answered; several where the load is shared among ways. Null when the end was not reached. */
export function hopsOf({ reached, hops }: Trace): string[][] | null {
  return reached ? hops.map(addressesOf) : null;
}

/** The last hop that answered; null when none did. */
export function endOf({ hops }: Trace): string | null {
  return hops.flatMap(addressesOf).at(-1) ?? null;
}

function addressesOf({ probes }: Trace['hops'][number]): string[] {
  return [...new Set(probes.flatMap(({ address }) => (address === null ? [] : [address])))];
}

/** One address for each hop, empty for one that does not answer. */
export function pathOf(hops: readonly (readonly string[])[]): string[] {
  return hops.map(([first = '']) => first);
}

/** Whether a trace may have gone the way that is known. A hop that is silent at one of the times says nothing. */
export function isSamePath(known: readonly string[], hops: readonly (readonly string[])[]): boolean {
  return (
    known.length === hops.length &&
    hops.every((addresses, i) => known[i] === '' || addresses.length === 0 || addresses.includes(known[i] ?? ''))
  );
}
