/** The result of a job, in the view of its tool. */
import commandTexts from 'messages:commands';
import type { ReactNode } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import type { Tool, ToolResult } from '../../shared/tools/list.ts';
import { ScanResult } from './results/scan-result.tsx';
import * as short from './results/short-results.tsx';
import { TraceResult } from './results/short-results.tsx';

interface Props<T extends Tool> {
  site: string;
  job: string;
  result: ToolResult<T>;
}

const VIEWS: { [T in Tool]: (props: Props<T>) => ReactNode } = {
  nmap: ScanResult,
  traceroute: TraceResult,
  speedtest: short.SpeedResult,
  nslookup: short.LookupResult,
  internetinfo: short.InternetResult,
  arpscan: short.DevicesResult,
  wakeonlan: short.WakeResult,
  interfaces: short.InterfacesResult,
};

export default function Result({ job: { tool, site, id, result } }: { job: Job }) {
  const View = VIEWS[tool] as (props: Props<Tool>) => ReactNode;
  return (
    <section aria-label={commandTexts.result}>
      {result !== null && <View site={site} job={id} result={result} />}
    </section>
  );
}
