/** Who makes a request. Apart from how that is found, because what it is found in depends on it. */
import type { Person } from '../../shared/api/records.ts';
import type { Reach } from '../access/reach.ts';
import type { ValidToken } from '../access/token-store.ts';

/** Who makes a request, and what they may do by it. */
export interface Caller {
  /** Its `scopes` are those that hold at each site of `reach`; its `sites` what a person is shown of that. */
  token: ValidToken;
  person: Person | null;
  /** Whether the token was presented by the secret that it had before its last one. */
  isByFormer: boolean;
  /** The sites that they may use, for the scope that the operation demands. */
  reach: Reach;
}

/** Who has the slots that a call takes: a person, or a token with all that were made of it, because more tokens must not give more slots. */
export function userOf({ person, token }: Pick<Caller, 'person' | 'token'>): string {
  return person?.id ?? token.ancestor ?? token.id;
}
