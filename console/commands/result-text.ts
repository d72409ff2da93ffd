/** The result of a job in a few words, for the row of a list. */
import commandTexts from 'messages:commands';
import type { Job } from '../../shared/api/jobs.ts';
import { durationText, measuredText } from '../text/format.ts';
import { reasonText } from './job-texts.ts';

/** `3 open ports`, `942/38 Mbit/s`, `awake already`, `done`; without success, the reason or the state. */
export function resultText(job: Pick<Job, 'state' | 'reason' | 'summary'>): string {
  if (job.state !== 'succeeded') return reasonText(job) ?? commandTexts.states[job.state];
  return summaryText(job.summary) ?? commandTexts.results.done;
}

/** Null for an empty summary, and for none. */
export function summaryText(summary: Job['summary']): string | null {
  if (summary === null) return null;
  const { results } = commandTexts;
  const { hosts, openPorts, devices, hops, reached, rttMs, downloadMbps, uploadMbps, answers, answerCount } = summary;
  if (openPorts !== undefined) {
    if (hosts === 0) return results.noHost;
    return hosts === undefined || hosts === 1
      ? results.openPorts({ count: openPorts })
      : `${results.hosts({ count: hosts })} · ${results.openPorts({ count: openPorts })}`;
  }
  if (devices !== undefined) return results.devices({ count: devices });
  if (hops !== undefined) {
    if (reached === false) return results.notReached;
    const time = rttMs === undefined ? '' : ` · ${results.ms({ value: measuredText(rttMs) })}`;
    return `${results.hops({ count: hops })}${time}`;
  }
  if (downloadMbps !== undefined && uploadMbps !== undefined) {
    return results.speed({ down: measuredText(downloadMbps), up: measuredText(uploadMbps) });
  }
  if (answers !== undefined) {
    const [first] = answers;
    if (first === undefined) return results.notFound;
    const more = Math.max(0, (answerCount ?? 0) - answers.length);
    return more === 0 ? answers.join(', ') : `${answers.join(', ')} ${results.more({ count: more })}`;
  }
  const { awakeAfterMs, packets, interfaces } = summary;
  if (awakeAfterMs !== undefined) {
    return awakeAfterMs === 0 ? results.awakeAlready : results.awakeAfter({ duration: durationText(awakeAfterMs) });
  }
  if (packets !== undefined) return results.packets({ count: packets });
  return interfaces === undefined ? null : results.interfaces({ count: interfaces });
}
