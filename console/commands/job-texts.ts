/** A job in a few words. */
import commandTexts from 'messages:commands';
import type { Job } from '../../shared/api/jobs.ts';
import type { Tone } from '../ui/status.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
  expired: 'bad',
  interrupted: 'warn',
  cancelled: 'warn',
};

/** @param state the state of a job, or the outcome of a command in the audit */
export function toneOfState(state: string): Tone {
  return TONES[state] ?? 'calm';
}

/** What a command acts on, and how: `192.168.1.0/24` and the word `fast`; none for a command without arguments. */
export function requestParts({ request }: Pick<Job, 'request'>): { text: string; isWord: boolean }[] {
  return argumentsOf(request).map(([name, value]) => {
    const key = value === 'true' ? name : value;
    return { text: WORDS[key] ?? key, isWord: Object.hasOwn(WORDS, key) };
  });
}

const WORDS: Readonly<Record<string, string>> = { ...commandTexts.switches, ...commandTexts.modes };

/** `Scan ports · 192.168.1.20 · fast` */
export function titleOfJob(job: Pick<Job, 'tool' | 'request'>): string {
  return [commandTexts.tools[job.tool], ...requestParts(job).map(({ text }) => text)].join(' · ');
}

/** The arguments as a query that fills in the form of the tool. */
export function requestQuery({ request }: Pick<Job, 'request'>): string {
  return new URLSearchParams(argumentsOf(request)).toString();
}

function argumentsOf(request: Job['request']): [name: string, value: string][] {
  return Object.entries(request)
    .filter(([name, value]) => name !== 'tool' && value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
}

/** For a job without a message of the tool. */
export function reasonText({ reason }: Pick<Job, 'reason'>): string | null {
  // `cancelled` repeats the state.
  return reason === null || reason === 'cancelled' ? null : commandTexts.reasons[reason];
}

/** Null for a job that has not ended, or never started. */
export function runTimeMs({ startedAt, endedAt }: Pick<Job, 'startedAt' | 'endedAt'>): number | null {
  return startedAt === null || endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

/** A file name for the job, without the extension. */
export function fileNameOf({ tool, id }: Pick<Job, 'tool' | 'id'>): string {
  return `${tool}-${id.replace('.', '-')}`;
}
