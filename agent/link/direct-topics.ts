/**
 * The topics of what only ingest receives. Once the service has said in a session that it may, the agent hands these
 * messages to the rules of the broker, which cost nothing there. A broker that does not let it ends the connection: the
 * service is an older one again, or this agent's policy is. After two such ends the agent does without until it is started
 * anew.
 * @promise An agent hands messages to a rule only after the service has offered it: `agent/link/direct-topics.test.ts`.
 */
import { type ToIngest, topics } from '../../shared/agent/topics.ts';
import type { ClientId } from '../../shared/identity.ts';

const TRIES = 2;

export class DirectTopics {
  readonly #client: ClientId;
  #isOffered = false;
  /** Sessions in a row in which such a message was not acknowledged, and whether the present one is among them. */
  #failuresInARow = 0;
  #hasFailed = false;

  constructor(client: ClientId) {
    this.#client = client;
  }

  /** A session has begun, in which nothing was said. */
  connected(): void {
    this.#isOffered = false;
    this.#hasFailed = false;
  }

  offered(isOffered: boolean): void {
    this.#isOffered = isOffered;
  }

  /** For the presence: whether it was offered in this session; undefined when the agent does without. */
  get told(): boolean | undefined {
    return this.#failuresInARow < TRIES ? this.#isOffered : undefined;
  }

  /** @param send publishes on this topic, and rejects when that is not acknowledged */
  async publish(kind: ToIngest, send: (topic: string) => Promise<void>): Promise<void> {
    if (this.told !== true) return send(topics[kind](this.#client));
    try {
      await send(topics.direct(kind, this.#client));
      this.#failuresInARow = 0;
    } catch (error) {
      if (!this.#hasFailed) this.#failuresInARow++;
      this.#hasFailed = true;
      throw error;
    }
  }
}
