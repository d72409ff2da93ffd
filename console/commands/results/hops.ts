/** The hops of a trace in the numbers that a person looks at. */
import type { ToolResult } from '../../../shared/tools/list.ts';

interface HopRow {
  hop: number;
  /** Who answered; several where the way divides. */
  addresses: readonly string[];
  bestMs: number | null;
  averageMs: number | null;
  /** Marks of the program, such as `!H`. */
  notes: readonly string[];
}

export function hopRows({ hops }: Pick<ToolResult<'traceroute'>, 'hops'>): HopRow[] {
  return hops.map(({ hop, probes }) => {
    const times = probes.map(({ rttMs }) => rttMs).filter((rttMs) => rttMs !== null);
    return {
      hop,
      addresses: [...new Set(probes.map(({ address }) => address).filter((address) => address !== null))],
      bestMs: times.length === 0 ? null : Math.min(...times),
      averageMs: times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length,
      notes: [...new Set(probes.map(({ note }) => note).filter((note) => note !== null))],
    };
  });
}
