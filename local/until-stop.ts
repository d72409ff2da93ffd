/** While the server stops, it still stores results of agents, but ignores the presence changes that it causes itself. */
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
