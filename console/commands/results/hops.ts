/** The hops of a trace, summed up over their probes. */
import type { ToolResult } from '../../../shared/tools/list.ts';

interface HopRow {
  hop: number;
  /** Several where the path divides. */
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
