/**
 * Enrolment codes: made, listed and revoked by people, and judged at each use.
 * @promise A code enrols no more hosts than it says, and ends with its maker's rights; one with several uses replaces no
 *   agent: `test/api/enrolment-codes.test.ts`.
 */
import { MAX_CODE_DAYS, type enrolmentCodes as operations } from '../../../shared/api/enrolment-codes.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { agentId } from '../../../shared/identity.ts';
import { parseIp, parseRange, rangeOf, rangeWithin } from '../../../shared/network.ts';
import type { Handlers } from '../../http/call.ts';
import { endOf, lifeBeyond, requireCurrentSecret } from '../../http/caller.ts';
import type { RequestContext } from '../../http/context.ts';
import { validationError } from '../../http/errors.ts';
import type { Reach } from '../../http/reach.ts';
import { isReached, requireKnown } from '../sites.ts';
import { couldBeMade, makerOf } from './code-maker.ts';
import type { StoredCode } from './enrolment-store.ts';
import type { ReleaseSource } from './releases/release-source.ts';

export type CodesContext = RequestContext<'enrolments' | 'people'> & { releases?: ReleaseSource };

const HOUR_MS = 3_600_000;
/** The most open codes, beside those for one host and an hour. */
const MAX_OPEN = 1_000;

export const codeHandlers: Handlers<typeof operations, CodesContext> = {
  async createEnrolmentCode(context, call, { site, name, replace = false, uses = 1, networks = [], expiresAt }) {
    const { sites, enrolments, now, settings } = context;
    requireCurrentSecret(call);
    await requireKnown(context, call.reach, site);
    requireLife(call.token, expiresAt, now());
    const agent = name === undefined ? null : agentId(site, name);
    // Refused at once, and not only when somebody uses the code.
    const before = agent === null ? {} : await sites.replacedBy({ agent, replaces: replace, madeAt: now() });
    if ('refusal' in before && before.refusal === 'taken') {
      const message = `The agent ${agent} exists already. To replace it, ask for a code with "replace": true (command line: --replace)`;
      throw new ServiceError('conflict', message);
    }
    if (uses > 1 || expiresAt !== undefined) await requireRoom(context);
    const { code, stored } = await enrolments.create({
      ...{ site, agent, replace, uses, networks },
      expiresAt: expiresAt ?? usualEnd(endOf(call.token), now()),
      ...makerOf(call),
    });
    const detail = { code: stored.id, ...(agent === null ? {} : { agent }), ...(replace ? { replace } : {}) };
    const bounds = {
      uses,
      expiresAt: stored.expiresAt,
      ...(networks.length > 0 ? { networks: networks.join(' ') } : {}),
    };
    await call.audit({ ...detail, ...bounds }, { site });
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
    if (code === null || !(await context.enrolments.revoke(id))) {
      throw new ServiceError('not_found', `There is no open enrolment code with the id ${id}`);
    }
    const { agent, site } = code;
    await call.audit({ code: id, ...(agent === null ? {} : { agent }) }, { site });
    return { success: true };
  },
};

/**
 * What a code permits, from an address. That all of its uses are counted is not looked at: a host that has lost its answer
 * may ask again.
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
  if (!isFrom(code, sourceAddress)) {
    throw refusal(`The enrolment code is not for requests from ${sourceAddress ?? 'nowhere'}`);
  }
  if (await couldBeMade(context, code)) return code;
  throw refusal('Whoever made the enrolment code may not do so any more; ask for a new one');
}

export function usedOrUnknown(): ServiceError {
  return refusal('The enrolment code is unknown, used or expired; ask for a new one');
}

export function refusal(message: string): ServiceError {
  return new ServiceError('enrolment_refused', message);
}

/** The release that the install line brings; null when none is handed out. */
async function releaseOffered({ releases }: CodesContext) {
  const current = (await releases?.current()) ?? null;
  return current && { version: current.version, packages: current.files.map(({ kind }) => kind) };
}

/** @throws {ServiceError} `validation_failed` */
function requireLife(maker: Parameters<typeof lifeBeyond>[0], expiresAt: string | undefined, now: Date): void {
  const excess = lifeBeyond(maker, expiresAt, now);
  if (excess.length > 0) throw validationError(excess);
  if (expiresAt === undefined || Date.parse(expiresAt) <= now.getTime() + MAX_CODE_DAYS * 24 * HOUR_MS) return;
  throw validationError([{ path: 'expiresAt', message: `expected a time in the next ${MAX_CODE_DAYS} days` }]);
}

/** @param limit the end of the token that makes the code */
function usualEnd(limit: string | null, now: Date): string {
  const inAnHour = now.getTime() + HOUR_MS;
  return new Date(limit === null ? inAnHour : Math.min(inAnHour, Date.parse(limit))).toISOString();
}

/** Each is read whenever they are listed. */
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

function shown({ person: _, isRevoked: __, ...code }: StoredCode) {
  return code;
}
