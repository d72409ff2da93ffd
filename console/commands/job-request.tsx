/** The arguments of a command: addresses as code, the rest as words. */
import type { Job } from '../../shared/api/jobs.ts';
import { requestParts } from './job-texts.ts';

export function JobRequest({ job }: { job: Job }) {
  return requestParts(job).map(({ text, isWord }) => {
    const Tag = isWord ? 'span' : 'code';
    return <Tag key={text} className={isWord ? 'text-muted font-normal' : ''} data-foreign>{`${text} `}</Tag>;
  });
}
