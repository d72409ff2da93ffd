/** What the server takes of agents while it stops: results still, but that agents lose it is no news of theirs. */
import type { Ingest } from '../functions/sightings/ingest.ts';

export function untilStop(ingest: Ingest): { ingest: Ingest; stopping(): void } {
  let isStopping = false;
  const unlessStopping =
    (take: Ingest['presence']): Ingest['presence'] =>
    async (...message) => {
      if (!isStopping) await take(...message);
    };
  const { presence, connection, ...rest } = ingest;
  return {
    ingest: { ...rest, presence: unlessStopping(presence), connection: unlessStopping(connection) },
    stopping() {
      isStopping = true;
    },
  };
}
