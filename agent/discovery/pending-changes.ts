/**
 * Which changes are told, and when. A host of the LAN can make devices up, and give them other names and addresses as often
 * as it likes; whoever reads the events of the site must not drown in them. What is not told waits, and is told as it is
 * then.
 * @promise A hostile host on the LAN makes no crowd of devices and no flood of changes: `agent/discovery/hostile-lan.test.ts`.
 */
import { type Device, URGENCIES, type Urgency } from './known-devices-file.ts';

const HOUR_MS = 60 * 60_000;
/** Changes of one network. */
const CHANGES_PER_HOUR = 2_000;
/** Of these, devices that were never there before. */
const NEW_PER_HOUR = 500;
/** The agent reports a device that went with its next other news, or after this time: fewer messages. */
const GONE_WITHIN_MS = 5 * 60_000;
/** The agent reports so many at once: they may be an outage. */
const MANY_GONE = 3;
/** A device that says something else in place of what it said, such as its name, so often within an hour is restless. */
const RESTLESS_CHANGES = 5;

/** A supply that fills up again within an hour. */
class Supply {
  readonly #perHour: number;
  #left: number;
  #filledAt: number;

  constructor(perHour: number, at: number) {
    this.#perHour = perHour;
    this.#left = perHour;
    this.#filledAt = at;
  }

  has(at: number): boolean {
    const passed = Math.max(0, at - this.#filledAt);
    this.#left = Math.min(this.#perHour, this.#left + (passed * this.#perHour) / HOUR_MS);
    this.#filledAt = at;
    return this.#left >= 1;
  }

  take(): void {
    this.#left--;
  }
}

export class PendingChanges {
  /** By device, those that have waited longest first. */
  readonly #waiting: Map<string, Urgency>;
  /** By network, and by network for new devices. */
  readonly #supplies = new Map<string, Supply>();
  /** When the address, the name or the like of a device has changed, oldest first, and when it was last told of. */
  readonly #details = new Map<string, { changes: number[]; toldAt: number }>();
  #overBudget: string[] = [];

  constructor(waiting: Iterable<readonly [mac: string, Urgency]> = []) {
    this.#waiting = new Map(waiting);
  }

  all(): [mac: string, Urgency][] {
    return [...this.#waiting];
  }

  has(mac: string): boolean {
    return this.#waiting.has(mac);
  }

  /** Networks in which more waited than may be told, the last time. */
  get overBudget(): readonly string[] {
    return this.#overBudget;
  }

  /** @param isMore whether the device has only said more: that does not make it restless */
  add(mac: string, urgency: Urgency, at: number, isMore = false): void {
    if (urgency === 'detail' && !isMore) {
      const details = this.#details.get(mac) ?? { changes: [], toldAt: Number.NEGATIVE_INFINITY };
      details.changes = [...details.changes, at].slice(-RESTLESS_CHANGES);
      this.#details.set(mac, details);
    }
    const former = this.#waiting.get(mac);
    if (former === undefined || (urgency === 'presence' && former === 'detail')) this.#waiting.set(mac, urgency);
  }

  forget(mac: string): void {
    this.#waiting.delete(mac);
    this.#details.delete(mac);
  }

  /** The devices that are to be told of now, the most urgent first. They no longer wait. */
  take(deviceOf: (mac: string) => Readonly<Device> | undefined, at: number): string[] {
    const overBudget = new Set<string>();
    const waiting = this.all()
      .sort(([, a], [, b]) => URGENCIES.indexOf(a) - URGENCIES.indexOf(b))
      .flatMap(([mac, urgency]) => {
        const device = deviceOf(mac);
        const isUntold = device === undefined || (urgency === 'detail' && this.#isRestless(mac, at));
        return isUntold ? [] : [{ mac, urgency, device }];
      });
    const isHeld = ({ urgency, device: { alerts, presence } }: (typeof waiting)[number]) =>
      urgency === 'presence' && !presence.online && !alerts && Math.abs(at - presence.since) < GONE_WITHIN_MS;
    if (waiting.length < MANY_GONE && waiting.every(isHeld)) return [];
    const told = waiting.flatMap(({ mac, urgency, device }) => {
      // What the first looks find is told as one thing, however much it is.
      if (!device.baseline && !this.#spend(device.network, urgency, at)) {
        overBudget.add(device.network);
        return [];
      }
      const details = this.#details.get(mac);
      if (details !== undefined) details.toldAt = at;
      return [mac];
    });
    for (const mac of told) this.#waiting.delete(mac);
    this.#overBudget = [...overBudget];
    return told;
  }

  /** Whether a device has changed too often of late, and has been told of within the hour. */
  #isRestless(mac: string, at: number): boolean {
    const { changes, toldAt } = this.#details.get(mac) ?? { changes: [], toldAt: 0 };
    const isLate = (time: number) => Math.abs(at - time) < HOUR_MS;
    return changes.length >= RESTLESS_CHANGES && changes.every(isLate) && isLate(toldAt);
  }

  #spend(network: string, urgency: Urgency, at: number): boolean {
    const supplies = [this.#supply(network, CHANGES_PER_HOUR, at)];
    if (urgency === 'new') supplies.push(this.#supply(`${network} new`, NEW_PER_HOUR, at));
    if (!supplies.every((supply) => supply.has(at))) return false;
    for (const supply of supplies) supply.take();
    return true;
  }

  #supply(key: string, perHour: number, at: number): Supply {
    const supply = this.#supplies.get(key) ?? new Supply(perHour, at);
    this.#supplies.set(key, supply);
    return supply;
  }
}
