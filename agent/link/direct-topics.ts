/**
 * The topics of ingest-only messages. Once the service offers it in a session, the agent publishes these directly to the
 * broker's rules, which is free of charge. A broker whose policy forbids that ends the connection, for instance after a
 * rollback of the service. After two such ends the agent stops until its next start.
 * @promise An agent hands messages to a rule only after the service has offered it: `agent/link/direct-topics.test.ts`.
 */
import { type ToIngest, topics } from '../../shared/agent/topics.ts';
import type { ClientId } from '../../shared/identity.ts';

const TRIES = 2;

export class DirectTopics {
  readonly #client: ClientId;
  #isOffered = false;
  /** Consecutive sessions without an acknowledgement of such a message, and whether the present one is among them. */
  #failuresInARow = 0;
  #hasFailed = false;

  constructor(client: ClientId) {
    this.#client = client;
  }

  /** A new session begins without an offer. */
  connected(): void {
    this.#isOffered = false;
    this.#hasFailed = false;
  }

  offered(isOffered: boolean): void {
    this.#isOffered = isOffered;
  }

  /** For the presence: whether this session has an offer; undefined when the agent no longer uses it. */
  get offer(): boolean | undefined {
    return this.#failuresInARow < TRIES ? this.#isOffered : undefined;
  }

  /** @param send rejects without an acknowledgement */
  async publish(kind: ToIngest, send: (topic: string) => Promise<void>): Promise<void> {
    if (this.offer !== true) return send(topics[kind](this.#client));
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
