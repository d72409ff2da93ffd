/** Digests: once a day or a week, the receiver of a hook is told what has changed since the one before. */
import { MAX_TOLD } from '../../shared/api/hook-events.ts';
import type { Site } from '../../shared/api/records.ts';
import { type Digest, WEEKDAYS } from '../../shared/schedule-terms.ts';
import { turnsBetween } from '../../shared/schedule-turns.ts';
import { readChanges, type Span } from '../devices/read-changes.ts';
import { sumUp } from '../devices/sum-up.ts';
import type { Stores } from '../stores.ts';
import { unnamedIn } from './chosen.ts';
import type { NewDelivery } from './delivery-store.ts';
import type { StoredHook } from './hook-store.ts';

/** Longer than a digest's pause. */
const LOOK_BACK_MS = 8 * 86_400_000;
/** Sentences of one device. */
const MAX_SENTENCES = 8;

/**
 * Writes the digests that are due, as deliveries. The key of one follows from the hook and its time, so that it is written
 * once, whoever does this at the same time or again.
 */
export async function writeDigests(
  { hooks, deliveries, devices, now }: Pick<Stores, 'hooks' | 'deliveries' | 'devices'> & { now(): Date },
  { id: site, timeZone }: Pick<Site, 'id' | 'timeZone'>,
): Promise<void> {
  for (const hook of (await hooks.list(site)).hooks) {
    const span = dueSpan(hook, timeZone, now());
    if (span === null) continue;
    const read = await readChanges(devices, site, span, async (entries) => {
      const names = await devices.namesOf(site, unnamedIn(entries));
      return (key) => names.get(key) ?? '';
    });
    const { summary: whole, changes } = sumUp(read.events);
    const summary = read.truncated ? `More than can be told, the last of it: ${whole}` : whole;
    const told = changes
      .slice(0, MAX_TOLD)
      .map((group) => ({ ...group, sentences: group.sentences.slice(-MAX_SENTENCES) }));
    const until = span.until.toISOString();
    const id = `${String(span.until.getTime() / 1000).padStart(10, '0')}_digest`;
    const event: NewDelivery['event'] = {
      id,
      at: until,
      recordedAt: now().toISOString(),
      type: 'digest',
      site,
      device: null,
      changes: {},
      actor: hook.createdBy,
      cause: 'digest',
      digest: { since: span.since.toISOString(), until, summary, changes: told, more: changes.length - told.length },
    };
    await deliveries.add(site, { hook: hook.id, id, webhookId: `${hook.id}_${id}`, event });
    // Last, so that whoever is stopped before it leaves this to the next one.
    await hooks.noteDigest(site, hook.id, span.until);
  }
}

/** What the digest of a hook tells of that is due now; null when none is. */
export function dueSpan(
  { enabled, problem, digest, digestedAt }: Pick<StoredHook, 'enabled' | 'problem' | 'digest' | 'digestedAt'>,
  timeZone: string,
  now: Date,
): Span | null {
  if (!enabled || problem !== null || digest === undefined) return null;
  const since = new Date(Math.max(digestedAt?.getTime() ?? 0, Date.parse(digest.from)));
  const timing = { cron: cronOf(digest.at), from: 1, jitterSeconds: 0 };
  const after = Math.max(since.getTime(), now.getTime() - LOOK_BACK_MS);
  const [until] = turnsBetween({ timing, timeZone }, after, now.getTime(), 1);
  return until === undefined ? null : { since, until: new Date(until) };
}

function cronOf(digest: Digest): string {
  const [hour = '', minute = ''] = digest.at.split(':');
  return `${Number(minute)} ${Number(hour)} * * ${digest.every === 'day' ? '*' : WEEKDAYS.indexOf(digest.weekday)}`;
}
