/**
 * The networks in which it counts what is heard between two looks: the last look has counted there, and nobody answers for
 * everybody. Broadcasts cost nothing to send, so that whoever makes devices up gets no further with them than until the next
 * look, which judges who answers.
 */
import { LEAST_NEWCOMERS } from './crowd.ts';

export class HeardNetworks {
  /** Devices that were taken in since the last look, by network. */
  #newcomers = new Map<string, number>();

  /** @param networks those in which the look has counted */
  look(networks: Iterable<string>): void {
    this.#newcomers = new Map([...networks].map((network) => [network, 0]));
  }

  /** Whether a sign counts. With that of a device that was not known before, there is room for one fewer. */
  takes(network: string, isKnown: boolean): boolean {
    const newcomers = this.#newcomers.get(network);
    if (newcomers === undefined || isKnown) return newcomers !== undefined;
    if (newcomers >= LEAST_NEWCOMERS) return false;
    this.#newcomers.set(network, newcomers + 1);
    return true;
  }
}
