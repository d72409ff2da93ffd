/** The token of the session, as far as it bounds those that it makes. */
import { useAnswer } from '../../api/queries.ts';
import type { Maker } from './token-draft.ts';

export function useMaker(): Maker | null {
  const { data } = useAnswer('GET /tokens/self', {}, { everyMs: 60_000 });
  return data ?? null;
}
