/** The last enrolment code, kept in memory alone: it lets any host into the site. */
import type { ListedAgent } from '../../../shared/api/records.ts';
import { onSessionChange } from '../../api/session.ts';

/** Distinguishes an agent from its replacement. */
export type Seen = Pick<ListedAgent, 'state' | 'since'>;

export interface EnrolmentCode {
  site: string;
  /** The name of the agent. */
  agent: string;
  code: string;
  expiresAt: string;
  /** At which other hosts reach the API. */
  addresses: readonly string[];
  /** Of the agent that the service offers; null for none. */
  version: string | null;
  /** The agent to replace, when the code was made. */
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
