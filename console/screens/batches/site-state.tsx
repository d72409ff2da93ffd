/** The state of one site of a batch, by shape and word. */
import texts from 'messages:batches';
import commandTexts from 'messages:commands';
import type { BatchCounts, BatchSite, BatchSiteState } from '../../../shared/api/batches.ts';
import { toneOfState } from '../../commands/job-texts.ts';
import { summaryText } from '../../commands/result-text.ts';
import type { Tone } from '../../ui/status.tsx';

export const PARTS = ['running', 'waiting', 'failed', 'skipped', 'succeeded'] as const;
export type Part = (typeof PARTS)[number];

/** Any end without a result counts as failed; the line shows how it ended. */
export function partOf(state: BatchSiteState): Part {
  switch (state) {
    case 'waiting':
    case 'skipped':
    case 'succeeded':
      return state;
    case 'queued':
    case 'accepted':
    case 'running':
      return 'running';
    default:
      return 'failed';
  }
}

export function countOf(counts: BatchCounts, part: Part): number {
  const { waiting, running, succeeded, skipped, failed, cancelled, expired, interrupted, lost } = counts;
  return { waiting, running, succeeded, skipped, failed: failed + cancelled + expired + interrupted + lost }[part];
}

export function toneOf(state: BatchSiteState): Tone {
  return state === 'skipped' || state === 'waiting' ? 'unknown' : toneOfState(state);
}

export function stateText(state: BatchSiteState): string {
  return state === 'waiting' || state === 'skipped' ? texts.siteStates[state] : commandTexts.states[state];
}

/** The summary, such as `192.0.2.7`, or why there is none. */
export function resultOf({ state, reason, message, summary }: BatchSite): string {
  if (state === 'succeeded') return summaryText(summary) ?? commandTexts.results.done;
  return whyText(reason, message);
}

/** Why a site has no result: in words of the console, else in those of the tool or the API. */
export function whyText(reason: string | null, message: string | null): string {
  const siteReasons: Readonly<Record<string, string>> = texts.siteReasons;
  const words: Readonly<Record<string, string>> = commandTexts.reasons;
  if (reason !== null && Object.hasOwn(siteReasons, reason)) return siteReasons[reason] ?? reason;
  return message ?? (reason !== null && Object.hasOwn(words, reason) ? words[reason] : reason) ?? '';
}
