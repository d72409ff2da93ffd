/**
 * The connection to the user's broker: the retained messages that the bridge wants there, each published when it changes and all
 * of them after each connection, because a broker may have forgotten them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { backOffMs, deadline, deferred } from '../../shared/async.ts';
import { oneLine } from '../../shared/text.ts';
import { Failure } from '../client/failure.ts';

export interface BrokerAccess extends Pick<IClientOptions, 'username' | 'password' | 'ca'> {
  url: string;
  clientId: string;
}

interface Options {
  access: BrokerAccess;
  /** `offline` is published there when the bridge ends, or is lost. */
  status: string;
  subscriptions: readonly string[];
  /** Called after each connection, before anything is published. */
  onUp(): void;
  onMessage(topic: string, payload: Buffer, isRetained: boolean): void;
  note(text: string): void;
  /** Ends everything. */
  signal: AbortSignal;
}

const CONNECT_WITHIN_MS = 10_000;
const REPLY_WITHIN_MS = 30_000;
const CLOSE_WITHIN_MS = 3_000;
const RECONNECT = { firstMs: 1_000, longestMs: 60_000, least: 0.5 } as const;
/** A connection that has lasted so long is one that works. */
const STEADY_MS = 30_000;
/** Answers of a broker that another attempt would not change. */
const REFUSED = [4, 5, 134, 135];

export function openBroker({ access, status, subscriptions, onUp, onMessage, note, signal }: Options) {
  /** The payloads by topic; empty for those to be removed, until the broker has removed them. */
  const wanted = new Map<string, string>();
  /** Topics that the broker does not have as wanted. They are in `wanted`, which bounds them. */
  const due = new Set<string>();
  /** Messages that precede those of their topics, once. */
  const steps = new Map<string, string>();
  let client: MqttClient | null = null;
  let pumping: Promise<void> | null = null;
  let wasUp = false;

  function publish(topic: string, payload: string): void {
    if (wanted.get(topic) === payload) return;
    wanted.set(topic, payload);
    due.add(topic);
    pump();
  }

  function pump(): void {
    pumping ??= work().finally(() => {
      pumping = null;
      if (due.size > 0 && isUsable(client)) pump();
    });
  }

  /** One after the other, so that a state follows its configuration. */
  async function work(): Promise<void> {
    const live = client;
    for (const topic of due) {
      if (live === null || live !== client || !isUsable(live)) return;
      const step = steps.get(topic);
      const payload = step ?? wanted.get(topic);
      due.delete(topic);
      if (steps.delete(topic)) due.add(topic); // Then its own.
      if (payload === undefined) continue;
      if (await isAcknowledged(live, live.publishAsync(topic, payload, { qos: 1, retain: true }))) {
        if (payload === '' && wanted.get(topic) === '') wanted.delete(topic);
        continue;
      }
      due.add(topic);
      live.end(true);
      return;
    }
  }

  const isUsable = (live: MqttClient | null) => live?.connected === true && !live.disconnecting;

  /** The promises of the library may never settle when the connection ends. */
  async function isAcknowledged(
    live: MqttClient,
    reply: Promise<unknown>,
    withinMs = REPLY_WITHIN_MS,
  ): Promise<boolean> {
    const { promise: outcome, resolve } = deferred<boolean>();
    const onClose = () => resolve(false);
    live.once('close', onClose);
    reply.then(() => resolve(true), onClose);
    return deadline(outcome, withinMs, () => false).finally(() => live.off('close', onClose));
  }

  /** One connection, until it ends. @returns why it failed; null for one that was up */
  async function connection(): Promise<Error | null> {
    const { url, ...credentials } = access;
    const live = mqtt.connect(url, {
      ...{ ...credentials, protocolVersion: 4, clean: true, keepalive: 30, connectTimeout: CONNECT_WITHIN_MS },
      ...{ reconnectPeriod: 0, resubscribe: false, queueQoSZero: false },
      will: { topic: status, payload: Buffer.from('offline'), qos: 1, retain: true },
    });
    let failure: Error | null = null;
    let isUp = false;
    live.on('error', (error) => {
      failure ??= error;
    });
    live.on('message', (topic, payload, { retain }) => onMessage(topic, payload, retain));
    live.on('connect', () => void begin());
    const begin = async () => {
      if (!(await isAcknowledged(live, live.subscribeAsync([...subscriptions], { qos: 1 })))) return live.end(true);
      isUp = true;
      if (wasUp) note('Connected to the broker again.');
      wasUp = true;
      client = live;
      onUp();
      republish();
    };
    const { promise: over, resolve: end } = deferred<void>();
    live.once('close', end);
    signal.addEventListener('abort', end as () => void);
    if (!signal.aborted) await over;
    signal.removeEventListener('abort', end as () => void);
    if (signal.aborted) await leave(live);
    client = null;
    live.end(true);
    return isUp ? null : (failure ?? new Error('it does not answer'));
  }

  /** The last will is for connections that break: who leaves says so. */
  async function leave(live: MqttClient): Promise<void> {
    client = null;
    await deadline(pumping ?? Promise.resolve(), CLOSE_WITHIN_MS, () => {});
    if (!live.connected) return;
    await isAcknowledged(live, live.publishAsync(status, 'offline', { qos: 1, retain: true }), CLOSE_WITHIN_MS);
    await isAcknowledged(live, live.endAsync(), CLOSE_WITHIN_MS);
  }

  function republish(): void {
    for (const topic of wanted.keys()) due.add(topic);
    pump();
  }

  return {
    publish,
    remove: (topic: string) => publish(topic, ''),
    /** A message of the moment, before the one that is wanted. */
    precede(topic: string, payload: string): void {
      steps.set(topic, payload);
      due.add(topic);
      pump();
    },
    /** Everything once more, as Home Assistant wants it after a restart of its own. */
    republish,
    async unsubscribe(topic: string): Promise<void> {
      const live = client;
      if (live?.connected) await isAcknowledged(live, live.unsubscribeAsync(topic));
    },

    /** Connects, and reconnects until the signal. @throws {Failure} when the broker refuses the first connection */
    async run(): Promise<void> {
      for (let attempt = 0; !signal.aborted; attempt++) {
        const startedAt = performance.now();
        const failure = await connection();
        if (signal.aborted) return;
        // One that breaks at once, as when two bridges have one name, is tried ever more slowly.
        if (failure === null && performance.now() - startedAt > STEADY_MS) attempt = 0;
        const why =
          failure === null
            ? 'The connection to the broker was lost'
            : `Cannot connect to the broker: ${oneLine(failure.message)}`;
        const isRefusal = REFUSED.includes((failure as { code?: number } | null)?.code ?? 0);
        if (isRefusal && !wasUp) throw new Failure('auth', `${why}. Check the user name and the password`);
        if (attempt === 0) note(`${why}; trying again`);
        await sleep(backOffMs(attempt, RECONNECT), undefined, { signal }).catch(() => {});
      }
    },
  };
}
