/** In which version of the protocol the agent speaks to the service. */
import { OLDEST_PROTOCOL_VERSION, type ProtocolVersion } from '../../shared/agent/messages.ts';
import { inVersion } from '../../shared/agent/wire.ts';

/**
 * So long the version that the service has used last is used, and then the oldest one again: a service that was put back to an
 * earlier release meanwhile understands that one only. What the service answers is in the version of what it answers.
 */
const HOLDS_MS = 10 * 60_000;

export class SpokenVersion {
  readonly #now: () => number;
  #heard: { version: ProtocolVersion; at: number } | null = null;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The service has sent a message in this version. */
  heard(version: ProtocolVersion): void {
    this.#heard = { version, at: this.#now() };
  }

  /** The payload of a message, of any kind, as the service understands it. */
  spoken(payload: Buffer): Buffer {
    const heard = this.#heard;
    const holds = heard !== null && this.#now() - heard.at < HOLDS_MS;
    return inVersion(holds ? heard.version : OLDEST_PROTOCOL_VERSION, payload);
  }
}
