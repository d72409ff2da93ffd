/** The ids of planned jobs. Both sides derive them alone, so that a run of a schedule is one job, whichever agents ran it. */
import { createHash } from 'node:crypto';
import type { JobId, SiteId } from '../identity.ts';
import type { PlanItemId } from './plan.ts';

/** @param turn the time of the run (Unix, ms) */
export function jobOfRun(site: SiteId, schedule: PlanItemId, turn: number): JobId {
  return plannedJob(site, turn, `schedule ${schedule}`);
}

/** A UUIDv7 (RFC 9562) of the time and a hash of all arguments. @param about names what runs, within site and time */
export function plannedJob(site: SiteId, time: number, about: string): JobId {
  const rest = createHash('sha256').update(`${site} ${about} ${time}`).digest('hex');
  const at = time.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(rest.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${site}.${at.slice(0, 8)}-${at.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`;
}
