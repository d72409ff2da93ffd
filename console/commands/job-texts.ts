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

/** @param state the state of a job, or what the audit says of a command */
export function toneOfState(state: string): Tone {
  return TONES[state] ?? 'calm';
}

/** `192.168.1.0/24 · fast`: the arguments of the command; empty when it has none. */
export function requestText({ request }: Pick<Job, 'request'>): string {
  return argumentsOf(request)
    .map(([name, value]) => (value === 'true' ? (SWITCHES[name] ?? name) : (MODES[value] ?? value)))
    .join(' · ');
}

const SWITCHES: Readonly<Record<string, string>> = commandTexts.switches;
const MODES: Readonly<Record<string, string>> = commandTexts.modes;

/** `Scan ports · 192.168.1.20 · fast` */
export function titleOfJob(job: Pick<Job, 'tool' | 'request'>): string {
  return [commandTexts.tools[job.tool], requestText(job)].filter((part) => part !== '').join(' · ');
}

/** The same as a query that fills in the form of the tool. */
export function requestQuery({ request }: Pick<Job, 'request'>): string {
  return new URLSearchParams(argumentsOf(request)).toString();
}

function argumentsOf(request: Job['request']): [name: string, value: string][] {
  return Object.entries(request)
    .filter(([name, value]) => name !== 'tool' && value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
}

/** What an ended job says about its end, where that is not the tool's own message. */
export function reasonText({ reason }: Pick<Job, 'reason'>): string | null {
  // `cancelled` says no more than the state does.
  return reason === null || reason === 'cancelled' ? null : commandTexts.reasons[reason];
}

/** Milliseconds that it ran; null when it has not ended, or was never started. */
export function runTimeMs({ startedAt, endedAt }: Pick<Job, 'startedAt' | 'endedAt'>): number | null {
  return startedAt === null || endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

/** The name of a file with something of the job, without its ending. */
export function fileNameOf({ tool, id }: Pick<Job, 'tool' | 'id'>): string {
  return `${tool}-${id.replace('.', '-')}`;
}
