/**
 * Enrolment codes: created, listed and revoked by people, and validated at each use. A code works for any bearer, so it
 * ends with the rights, and the token, of its creator or, if it was created in a session, with the person.
 * @promise A code enrols no more hosts than it says, and ends with its maker's rights; one with several uses replaces no
 *   agent: `test/api/enrolment-codes.test.ts`.
 */
import { MAX_CODE_DAYS, type enrolmentCodes as operations } from '../../../shared/api/enrolment-codes.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { agentId } from '../../../shared/identity.ts';
import { parseIp, parseRange, rangeOf, rangeWithin } from '../../../shared/network.ts';
import { SCOPES_OF_ROLE } from '../../../shared/roles.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/time.ts';
import type { Handlers } from '../../http/call.ts';
import { type Caller, callerOf, endOf, hasScope, lifeBeyond, requireCurrentSecret } from '../../http/caller.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid, validationError } from '../../http/errors.ts';
import { type Reach, reachOf } from '../../http/reach.ts';
import { isReached, requireKnown } from '../sites.ts';
import type { StoredCode } from './enrolment-store.ts';
import type { ReleaseSource } from './releases/release-source.ts';

export type CodesContext = RequestContext<'enrolments' | 'people'> & { releases?: ReleaseSource };

/** The most open codes; those for one host and an hour are not limited. */
const MAX_OPEN = 1_000;

export const codeHandlers: Handlers<typeof operations, CodesContext> = {
  async createEnrolmentCode(context, call, { site, name, replace = false, uses = 1, networks = [], expiresAt }) {
    const { sites, enrolments, now, settings } = context;
    requireCurrentSecret(call);
    await requireKnown(context, call.reach, site);
    requireLife(call.token, expiresAt, now());
    const agent = name === undefined ? null : agentId(site, name);
    // Rejected now, and not only when the code is used.
    const before = agent === null ? {} : await sites.replacedBy({ agent, replaces: replace, madeAt: now() });
    if ('refusal' in before && before.refusal === 'taken') {
      const message = `The agent ${agent} exists already. To replace it, ask for a code with "replace": true (command line: --replace)`;
      throw new ServiceError('conflict', message);
    }
    if (uses > 1 || expiresAt !== undefined) await requireRoom(context);
    const { code, stored } = await enrolments.create({
      ...{ site, agent, replace, uses, networks },
      expiresAt: expiresAt ?? usualEnd(endOf(call.token), now()),
      ...creatorOf(call),
    });
    const detail = { code: stored.id, ...(agent === null ? {} : { agent }), ...(replace ? { replace } : {}) };
    const bounds = networks.length > 0 ? { networks: networks.join(' ') } : {};
    await call.audit({ ...detail, uses, expiresAt: stored.expiresAt, ...bounds }, { site });
    const addresses = settings.addresses?.() ?? [];
    return { success: true, code, ...shown(stored), addresses, release: await releaseOffered(context) };
  },

  async listEnrolmentCodes(context, call) {
    const { codes, unreadable } = await context.enrolments.open();
    const visible: StoredCode[] = [];
    for (const code of codes) if (await isReached(context, call.reach, code.site)) visible.push(code);
    return { success: true, codes: visible.map(shown), unreadable: call.reach.isAll ? unreadable : [] };
  },

  async revokeEnrolmentCode(context, call, { id }) {
    const code = await findOpen(context, call.reach, id);
    if (code === null || !(await context.enrolments.revoke(id)))
      throw new ServiceError('not_found', `There is no open enrolment code with the id ${id}`);
    const { agent, site } = code;
    await call.audit({ code: id, ...(agent === null ? {} : { agent }) }, { site });
    return { success: true };
  },
};

/**
 * The code, if it is valid for this address. Its uses are not checked: a host whose response was lost may retry.
 * @throws {ServiceError} `enrolment_refused`
 */
export async function requireOpen(
  context: CodesContext,
  secret: string,
  sourceAddress: string | null,
): Promise<StoredCode> {
  const code = await context.enrolments.find(secret);
  if (code === null || Date.parse(code.expiresAt) <= context.now().getTime()) throw usedOrUnknown();
  if (code.isRevoked) throw refusal('The enrolment code has been revoked; ask for a new one');
  if (!isFrom(code, sourceAddress))
    throw refusal(`The enrolment code is not for requests from ${sourceAddress ?? 'nowhere'}`);
  if (await isCreatorAuthorized(context, code)) return code;
  throw refusal('The creator of the enrolment code has no right to it any more; ask for a new one');
}

function creatorOf({ token, person }: Pick<Caller, 'token' | 'person'>): Pick<StoredCode, 'createdBy' | 'person'> {
  return { createdBy: token.id, person: token.purpose === 'session' && person !== null ? person.id : null };
}

/** Whether the creator could still create the code. */
async function isCreatorAuthorized(context: CodesContext, { createdBy, person, site }: StoredCode): Promise<boolean> {
  if (createdBy === null) return true;
  const reach = person === null ? await reachOfToken(context, createdBy) : await reachOfPerson(context, person);
  return reach !== null && isReached(context, reach, site);
}

/** The sites that a token administers. */
async function reachOfToken({ tokens }: CodesContext, id: string): Promise<Reach | null> {
  const found = await tokens.find(id, { consistent: true });
  const caller = found && callerOf(found, 'admin');
  return caller !== null && hasScope(caller.token, 'admin') ? caller.reach : null;
}

/** The sites that a person administers. */
async function reachOfPerson({ people }: CodesContext, id: string): Promise<Reach | null> {
  const person = await people.find(id, { consistent: true });
  if (person === null || person.isDisabled) return null;
  const administered = person.grants.filter(({ role }) => SCOPES_OF_ROLE[role].includes('admin'));
  if (administered.some(({ sites }) => sites === '*')) return reachOf(['*']);
  return reachOf([administered.flatMap(({ sites }) => sites)]);
}

export function usedOrUnknown(): ServiceError {
  return refusal('The enrolment code is unknown, used or expired; ask for a new one');
}

export const refusal = (message: string): ServiceError => new ServiceError('enrolment_refused', message);

/** The release that the install line installs; null without one. */
async function releaseOffered({ releases }: CodesContext) {
  const current = (await releases?.current()) ?? null;
  return current && { version: current.version, packages: current.files.map(({ kind }) => kind) };
}

/** @throws {ServiceError} `validation_failed` */
function requireLife(maker: Parameters<typeof lifeBeyond>[0], expiresAt: string | undefined, now: Date): void {
  const excess = lifeBeyond(maker, expiresAt, now);
  if (excess.length > 0) throw validationError(excess);
  if (expiresAt === undefined || Date.parse(expiresAt) <= now.getTime() + MAX_CODE_DAYS * DAY_MS) return;
  throw invalid('expiresAt', `expected a time in the next ${MAX_CODE_DAYS} days`);
}

/** An hour, within the life of the creator's token. */
function usualEnd(limit: string | null, now: Date): string {
  const inAnHour = now.getTime() + HOUR_MS;
  return new Date(limit === null ? inAnHour : Math.min(inAnHour, Date.parse(limit))).toISOString();
}

/** A list reads all open codes. */
async function requireRoom({ enrolments }: CodesContext): Promise<void> {
  if ((await enrolments.open()).codes.length < MAX_OPEN) return;
  throw new ServiceError('conflict', `There are ${MAX_OPEN} open enrolment codes already; revoke one first`);
}

async function findOpen(context: CodesContext, reach: Reach, id: string): Promise<StoredCode | null> {
  const code = (await context.enrolments.open()).codes.find((one) => one.id === id);
  return code !== undefined && (await isReached(context, reach, code.site)) ? code : null;
}

function isFrom({ networks }: StoredCode, sourceAddress: string | null): boolean {
  if (networks.length === 0) return true;
  const source = sourceAddress === null ? null : parseIp(sourceAddress);
  if (source === null) return false;
  const range = rangeOf({ ...source, zone: null });
  return networks.some((text) => rangeWithin(range, parseRange(text)!));
}

const shown = ({ person: _, isRevoked: __, ...code }: StoredCode) => code;
