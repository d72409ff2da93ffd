/** Who has done something, in words: jobs name the id of a token. */
import { useAnswer } from '../api/queries.ts';
import { useRights } from '../api/rights.ts';
import { texts } from '../text/texts.ts';

/** The name of the token with an id: "you" for one's own, the id itself where names may not be read. */
export function useActorName(): (actor: string) => string {
  const rights = useRights();
  const { data } = useAnswer('GET /tokens', {}, { everyMs: 60_000, when: rights.may('admin') });
  return (actor) => {
    if (actor === rights.tokenId) return texts.command.you;
    return data?.tokens.find(({ id }) => id === actor)?.name ?? actor;
  };
}
