/**
 * Which changes the agent reports, and when. A host of the LAN can forge devices, and vary their names and addresses, as fast
 * as it likes; that must not flood the events of the site. A withheld change waits, and is later reported as it is then.
 * @promise A hostile host on the LAN makes no crowd of devices and no flood of changes: `agent/discovery/hostile-lan.test.ts`.
 */
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { type Device, URGENCIES, type Urgency } from './known-devices-file.ts';

/** Changes of one network. */
const CHANGES_PER_HOUR = 2_000;
/** Of these, devices never seen before. */
const NEW_PER_HOUR = 500;
/** So many that went offline are reported at once: they may be an outage. */
const MANY_GONE = 3;
/** A device that replaces details, such as its name, so often within an hour is unstable. */
const UNSTABLE_CHANGES = 5;

export class PendingChanges {
  /** By device, those that have waited longest first. */
  readonly #waiting: Map<string, Urgency>;
  /** Token buckets that refill within an hour: by network, and by network for new devices. */
  readonly #budgets = new Map<string, { left: number; filledAt: number }>();
  /** When the address, the name or the like of a device changed, oldest first, and when it was last reported. */
  readonly #details = new Map<string, { changes: number[]; reportedAt: number }>();
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

  /** Networks in which more changes waited than the budget allowed, the last time. */
  get overBudget(): readonly string[] {
    return this.#overBudget;
  }

  /** @param isAddition whether the device only added details: that does not make it unstable */
  add(mac: string, urgency: Urgency, at: number, isAddition = false): void {
    if (urgency === 'detail' && !isAddition) {
      const { changes, reportedAt } = this.#details.get(mac) ?? { changes: [], reportedAt: Number.NEGATIVE_INFINITY };
      this.#details.set(mac, { changes: [...changes, at].slice(-UNSTABLE_CHANGES), reportedAt });
    }
    const former = this.#waiting.get(mac);
    if (former === undefined || (urgency === 'presence' && former === 'detail')) this.#waiting.set(mac, urgency);
  }

  forget(mac: string): void {
    this.#waiting.delete(mac);
    this.#details.delete(mac);
  }

  /** Takes out the devices to report now, the most urgent first. */
  take(deviceOf: (mac: string) => Readonly<Device> | undefined, at: number): string[] {
    const overBudget = new Set<string>();
    const waiting = this.all()
      .sort(([, a], [, b]) => URGENCIES.indexOf(a) - URGENCIES.indexOf(b))
      .flatMap(([mac, urgency]) => {
        const device = deviceOf(mac);
        const isWithheld = device === undefined || (urgency === 'detail' && this.#isUnstable(mac, at));
        return isWithheld ? [] : [{ mac, urgency, device }];
      });
    // A device that went offline is reported with the next other change, or after this time: fewer messages.
    const isDeferrable = ({ urgency, device: { alerts, presence } }: (typeof waiting)[number]) =>
      urgency === 'presence' && !presence.online && !alerts && Math.abs(at - presence.since) < 5 * MINUTE_MS;
    if (waiting.length < MANY_GONE && waiting.every(isDeferrable)) return [];
    const reported = waiting.flatMap(({ mac, urgency, device }) => {
      // The findings of the first scans are one report, however many there are.
      if (!device.baseline && !this.#spend(device.network, urgency, at)) {
        overBudget.add(device.network);
        return [];
      }
      const details = this.#details.get(mac);
      if (details !== undefined) details.reportedAt = at;
      return [mac];
    });
    for (const mac of reported) this.#waiting.delete(mac);
    this.#overBudget = [...overBudget];
    return reported;
  }

  /** Whether a device changed too often of late, and was reported within the hour. */
  #isUnstable(mac: string, at: number): boolean {
    const { changes, reportedAt } = this.#details.get(mac) ?? { changes: [], reportedAt: 0 };
    const isRecent = (time: number) => Math.abs(at - time) < HOUR_MS;
    return changes.length >= UNSTABLE_CHANGES && changes.every(isRecent) && isRecent(reportedAt);
  }

  #spend(network: string, urgency: Urgency, at: number): boolean {
    const budgets = [{ key: network, perHour: CHANGES_PER_HOUR }];
    if (urgency === 'new') budgets.push({ key: `${network} new`, perHour: NEW_PER_HOUR });
    const filled = budgets.map(({ key, perHour }) => {
      const { left, filledAt } = this.#budgets.get(key) ?? { left: perHour, filledAt: at };
      return { key, left: Math.min(perHour, left + (Math.max(0, at - filledAt) * perHour) / HOUR_MS) };
    });
    const isAllowed = filled.every(({ left }) => left >= 1);
    for (const { key, left } of filled) this.#budgets.set(key, { left: isAllowed ? left - 1 : left, filledAt: at });
    return isAllowed;
  }
}
