/** The outbox of hooks: one row for each event that a hook has to tell, with what has become of it. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { EventType } from '../../shared/api/events.ts';
import { HookEvent } from '../../shared/api/hook-events.ts';
import { DeliveryState } from '../../shared/api/hooks.ts';
import type { Unreadable } from '../../shared/api/operation.ts';
import type { SiteId } from '../../shared/identity.ts';
import { problemOf } from '../../shared/problem.ts';
import { type Condition, IS_NEW } from '../table/condition.ts';
import { deliveryPartition, rows } from '../table/rows.ts';
import { type Item, setOrRemove, type Table } from '../table/table.ts';

/** Of which part of the journal a delivery tells when it is due. */
const Held = z.object({
  /** Of what is behind this version of the collection, and up to that one. */
  behind: z.int().min(0),
  upTo: z.int().min(0),
  /** The ids of events that are not part of it: it was not known yet whether they are to be told. */
  without: z.array(z.string()),
  /** Types that are not part of it: they were told at once. */
  except: z.array(EventType),
});
export type Held = z.infer<typeof Held>;

const Content = z.object({
  /** Sent as `webhook-id`, by which receivers recognise what they have been told before. */
  webhookId: z.string(),
  event: HookEvent,
  /** The delivery of which this is a repetition. */
  repeats: z.string().optional(),
});

export interface StoredDelivery extends z.infer<typeof Content> {
  hook: string;
  id: string;
  /** It tells of what was held in quiet hours; that is read when it is due. */
  held?: Held;
  state: DeliveryState;
  attempts: number;
  /** The time of the next attempt. While one is being made: when it counts as failed. Null when no other follows. */
  due: Date | null;
  /** Whether an attempt has begun of which nobody has recorded the end. */
  isUnderWay: boolean;
  /** Attempts whose end nobody has recorded: the process has crashed. */
  brokenOff: number;
  /** When it was to be attempted first: attempts end a day after that. */
  since: Date;
  endedAt: Date | null;
  status: number | null;
  reason: string | null;
}

/** What became of an attempt. */
interface AttemptOutcome {
  state: DeliveryState;
  /** The time of the next attempt; null when no other follows. */
  due: Date | null;
  status: number | null;
  reason: string | null;
  /** If it has changed. */
  brokenOff?: number;
}

export type NewDelivery = Pick<StoredDelivery, 'hook' | 'id' | 'webhookId' | 'event' | 'repeats' | 'held'>;

interface DeliveryStore {
  /**
   * Writes a delivery that is to be attempted now, or not before a time. Does nothing when it was written before, whatever
   * became of it.
   */
  add(site: SiteId, delivery: NewDelivery, notBefore?: Date): Promise<void>;
  find(site: SiteId, hook: string, id: string): Promise<StoredDelivery | null>;
  /**
   * Lets a delivery tell of more, or of less, than when it was read.
   * @returns false when it has been attempted, or somebody else has done this first
   */
  hold(site: SiteId, delivery: StoredDelivery, held: Held): Promise<boolean>;
  /**
   * Begins an attempt, which ends before `until`: then the delivery may be attempted by others.
   * @returns false when somebody else attempts it, or has ended it
   */
  claim(site: SiteId, delivery: StoredDelivery, until: Date): Promise<boolean>;
  settle(site: SiteId, delivery: StoredDelivery, outcome: AttemptOutcome): Promise<void>;
  /** Deliveries of a hook, newest first, older than a delivery if one is named. Looks at a bounded number of rows. */
  list(
    site: SiteId,
    hook: string,
    wanted: { state?: DeliveryState | undefined; before?: string | undefined; limit: number },
  ): Promise<{ deliveries: StoredDelivery[]; unreadable: Unreadable[]; next: string | null }>;
  /**
   * The deliveries of a site that have not ended, with the time of their next attempt. Reads all deliveries of the site.
   * @param of only those of a hook, from an id or the beginning of one on, the oldest events first
   */
  pending(site: SiteId, of?: { hook: string; from: string }): AsyncGenerator<{ hook: string; id: string; due: Date }>;
}

const KEEP_DAYS = 30;
/** Rows that one request looks at: as many as a filter may leave out. */
const MAX_ROWS = 2_000;

export function openDeliveryStore(table: Table, now: () => Date): DeliveryStore {
  const isOver = ({ ttl }: Item) => Number(ttl) * 1000 <= now().getTime();

  return {
    async add(site, { hook, id, held, ...content }, notBefore = now()) {
      const at = now().getTime();
      const due = Math.max(at, notBefore.getTime());
      await table.put(
        {
          ...rows.delivery(site, hook, id),
          d: JSON.stringify(content satisfies z.input<typeof Content>),
          ...(held === undefined ? {} : { held: JSON.stringify(held) }),
          state: 'pending',
          attempts: 0,
          since: due,
          due,
          ttl: Math.ceil(at / 1000) + KEEP_DAYS * 86_400,
        },
        IS_NEW,
      );
    },

    async find(site, hook, id) {
      const item = await table.get(rows.delivery(site, hook, id), { consistent: true });
      return item === null || isOver(item) ? null : decodeDelivery(item);
    },

    async hold(site, { hook, id, held: seen }, held) {
      const asSeen = { held: seen === undefined ? null : JSON.stringify(seen) };
      const set = { held: JSON.stringify(held) };
      return table.update(
        rows.delivery(site, hook, id),
        { set },
        { equals: { state: 'pending', attempts: 0, ...asSeen } },
      );
    },

    async claim(site, { hook, id, due }, until) {
      const claim = randomUUID();
      // The claim of its own: this call is repeated when its answer is lost, and then finds what it has written itself.
      const isMine: Condition = { any: [{ equals: { due: due?.getTime() ?? 0 } }, { equals: { claim } }] };
      return table.update(
        rows.delivery(site, hook, id),
        { set: { due: until.getTime(), claim }, add: { attempts: 1 } },
        { all: [{ equals: { state: 'pending' } }, isMine] },
      );
    },

    async settle(site, { hook, id }, { state, due, status, reason, brokenOff }) {
      const endedAt = state === 'pending' ? null : now().getTime();
      const { set, remove } = setOrRemove({
        ...{ state, due: due?.getTime() ?? null, endedAt, status, reason, claim: null },
        ...(brokenOff === undefined ? {} : { brokenOff }),
      });
      // One that was delivered stays so, even if a slower attempt has failed meanwhile.
      const isUndelivered = { in: { state: DeliveryState.options.filter((one) => one !== 'delivered') } };
      await table.update(rows.delivery(site, hook, id), { set, remove }, isUndelivered);
    },

    async list(site, hook, { state, before, limit }) {
      const prefix = rows.delivery(site, hook, '').sk;
      const options = {
        descending: true,
        consistent: true,
        limit: state === undefined ? limit : 500,
        ...(before === undefined ? {} : { startAfter: prefix + before }),
      };
      const deliveries: StoredDelivery[] = [];
      const unreadable: Unreadable[] = [];
      let looked = 0;
      for await (const page of table.query(deliveryPartition(site), prefix, options)) {
        for (const item of page) {
          if (isOver(item)) continue;
          const id = item.sk.slice(prefix.length);
          try {
            const delivery = decodeDelivery(item);
            if (state === undefined || delivery.state === state) deliveries.push(delivery);
          } catch (error) {
            unreadable.push({ id, problem: problemOf(error) });
          }
          if (deliveries.length + unreadable.length === limit || ++looked === MAX_ROWS) {
            return { deliveries, unreadable, next: id };
          }
        }
      }
      return { deliveries, unreadable, next: null };
    },

    async *pending(site, of) {
      const prefix = of === undefined ? null : rows.delivery(site, of.hook, '').sk;
      // Before the first one: what follows a key that is shorter by a character is that key's own and later ones.
      const options = of === undefined ? {} : { startAfter: `${prefix}${of.from.slice(0, -1)}` };
      for await (const page of table.query(deliveryPartition(site), prefix, { consistent: true, ...options })) {
        for (const item of page) {
          const [hook = '', id = ''] = item.sk.split('#');
          if (item.state === 'pending' && !isOver(item)) yield { hook, id, due: new Date(Number(item.due)) };
        }
      }
    },
  };
}

/** @throws when the item is no delivery */
function decodeDelivery(item: Item): StoredDelivery {
  const [hook = '', id = ''] = item.sk.split('#');
  const time = (millis: unknown) => (typeof millis === 'number' ? new Date(millis) : null);
  return {
    ...Content.parse(JSON.parse(String(item.d))),
    hook,
    id,
    ...(item.held === undefined ? {} : { held: Held.parse(JSON.parse(String(item.held))) }),
    state: DeliveryState.parse(item.state),
    attempts: Number(item.attempts),
    due: time(item.due),
    isUnderWay: item.claim !== undefined,
    brokenOff: Number(item.brokenOff ?? 0),
    since: new Date(Number(item.since)),
    endedAt: time(item.endedAt),
    status: typeof item.status === 'number' ? item.status : null,
    reason: typeof item.reason === 'string' ? item.reason : null,
  };
}
