/**
 * The last enrolment code, from where it was made to where it is shown. It is kept in the memory of the page alone: who
 * has it can put an agent into the site.
 */
import type { ListedAgent } from '../../../shared/api/records.ts';
import { onSessionChange } from '../../api/session.ts';

/** By which it can be told whether an agent is still the one that it was. */
export type Seen = Pick<ListedAgent, 'state' | 'since'>;

export interface EnrolmentCode {
  site: string;
  /** The name of the agent. */
  agent: string;
  code: string;
  expiresAt: string;
  /** Under which other hosts reach the API. */
  addresses: readonly string[];
  /** The version of the agent that the service hands out; null when it hands out none. */
  version: string | null;
  /** The agent that is replaced, as it was when the code was made. */
  replaced: Seen | null;
}

let last: EnrolmentCode | null = null;
onSessionChange(() => {
  last = null;
});

export function keepCode(made: EnrolmentCode): void {
  last = made;
}

export function findCode(site: string, agent: string): EnrolmentCode | null {
  return last?.site === site && last.agent === agent ? last : null;
}
