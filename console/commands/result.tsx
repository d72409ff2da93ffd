/** The result of a job, in the view of its tool. */
import commandTexts from 'messages:commands';
import type { ReactNode } from 'react';
import type { Job } from '../../shared/api/jobs.ts';
import { ScanResult } from './results/scan-result.tsx';
import {
  DevicesResult,
  InterfacesResult,
  InternetResult,
  LookupResult,
  SpeedResult,
  WakeResult,
} from './results/short-results.tsx';
import { TraceResult } from './results/trace-result.tsx';

export default function Result({ job }: { job: Job }) {
  return <section aria-label={commandTexts.result}>{resultOf(job)}</section>;
}

function resultOf(job: Job): ReactNode {
  if (job.result === null) return null;
  switch (job.tool) {
    case 'nmap':
      return <ScanResult site={job.site} job={job.id} result={job.result} />;
    case 'traceroute':
      return <TraceResult result={job.result} />;
    case 'speedtest':
      return <SpeedResult result={job.result} />;
    case 'nslookup':
      return <LookupResult result={job.result} />;
    case 'internetinfo':
      return <InternetResult result={job.result} />;
    case 'arpscan':
      return <DevicesResult result={job.result} />;
    case 'wakeonlan':
      return <WakeResult result={job.result} />;
    case 'interfaces':
      return <InterfacesResult result={job.result} />;
  }
}
