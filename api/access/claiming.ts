/**
 * How a host with a claim key becomes an agent. It asks with its certificate request, and asks again until somebody has
 * approved it. The claim is bound to that request, and the certificate to its key: nobody else can make use of it.
 *
 * Every step can be repeated, by a host that got no answer and after a function that was killed. As soon as the agent
 * has connected, its claim is good for nothing any more.
 */
import type { ClaimingHost } from '../../shared/api/claims.ts';
import type { enrolment as operations } from '../../shared/api/enrolment.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type AgentId, agentId, type SiteId, siteOfAgent } from '../../shared/identity.ts';
import { parseIp, parseRange, rangeOf, rangesOverlap, rangeWithin } from '../../shared/network.ts';
import { legible, oneLine, startOf } from '../../shared/text.ts';
import { claimIdOf, keyOfClaim, type StoredClaim, type StoredKey } from '../../store/access/claim-store.ts';
import type { AccessContext } from '../context/context.ts';
import type { CallOf, Handler } from '../http/call.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { type AppliedBy, applyAt } from '../templates/apply.ts';
import { certify, isForPresentSite } from './enrolment.ts';
import { nameFrom, numbered } from './host-name.ts';
import { couldBeMade } from './key-maker.ts';
import { addSite } from './sites.ts';

type Operations = typeof operations;

export const claimAgent: Handler<Operations['claimAgent'], AccessContext> = async (context, call, said) => {
  const { csr, host } = said;
  const key = await context.claims.keyOf(said.key);
  if (key === null) throw refusal('The claim key is unknown; ask for a new one');
  await requireOpen(context, key);
  const { sourceAddress } = call;
  requireSource(key, sourceAddress);
  requireNetworks(key, host);
  const made = await context.claims.claim(key.id, csr, { host, sourceAddress });
  if ('closed' in made) throw refusal(WHY_CLOSED[made.closed]);
  const { claim, isNew } = made;
  if (isNew) {
    const detail = { claim: claim.id, key: key.name, host: host.name, state: claim.state };
    await call.audit(detail, { site: key.site, actor: 'enrolment' });
  }
  return answerTo(context, call, key, claim, csr);
};

export const followClaim: Handler<Operations['followClaim'], AccessContext> = async (
  context,
  call,
  { claim: id, csr },
) => {
  const key = await context.claims.findKey(keyOfClaim(id));
  const claim = key !== null && claimIdOf(key.id, csr) === id ? await context.claims.find(id) : null;
  if (key === null || claim === null) throw refusal('The claim does not exist; claim again');
  await requireOpen(context, key);
  requireSource(key, call.sourceAddress);
  return answerTo(context, call, key, claim, csr);
};

/** Lets a waiting host in. @returns the claim as it is then, which somebody else may have decided about */
export async function approve(
  context: AccessContext,
  key: StoredKey,
  claim: StoredClaim,
  by: AppliedBy,
  wanted: { site?: SiteId | undefined; name?: string | undefined } = {},
): Promise<StoredClaim> {
  if (claim.state !== 'waiting') return claim;
  const present = wanted.site ?? claim.site;
  const site = present ?? (await siteFor(context, key, claim, by));
  const name = wanted.name ?? (present === null ? 'main' : null);
  const approved = await context.claims.change(claim.id, ({ state }) => {
    if (state !== 'waiting') return null;
    return { state: 'approved', decidedAt: context.now().toISOString(), site, name };
  });
  if (approved === null) throw new ServiceError('conflict', 'The claim has come to its end meanwhile');
  return approved;
}

/** What is wrong with a key for every host, also one that has claimed before; null when nothing is. */
export async function whyOver(
  context: Pick<AccessContext, 'sites' | 'tokens' | 'people'>,
  key: StoredKey,
): Promise<string | null> {
  if (key.state === 'over' || key.state === 'revoked') return WHY_CLOSED[key.state];
  const { site, createdAt } = key;
  if (site !== null && !(await isForPresentSite(context.sites, site, new Date(createdAt)))) {
    return `The site "${site}" has been removed since the claim key was made; ask for a new one`;
  }
  return (await couldBeMade(context, key))
    ? null
    : 'Whoever made the claim key may not do so any more; ask for a new one';
}

const WHY_CLOSED = {
  'used up': 'The claim key is used up: as many hosts have claimed as it allows; ask for a new one',
  over: 'The claim key has come to its end; ask for a new one',
  revoked: 'The claim key has been revoked; ask for a new one',
};
/** Names are tried in turn so often when another host gets one first. */
const ATTEMPTS = 3;
/** Numbers that are tried behind a name that is taken. */
const NUMBERS = 20;
/** Hosts that wait for long ask seldom: ten thousand of them are some twenty requests a second. */
const ASK_AGAIN_S = { least: 10, most: 600, partOfWait: 0.25 };

async function requireOpen(context: AccessContext, key: StoredKey): Promise<void> {
  const reason = await whyOver(context, key);
  if (reason !== null) throw refusal(reason);
}

function requireSource({ from }: StoredKey, sourceAddress: string | null): void {
  const source = sourceAddress === null ? null : parseIp(sourceAddress);
  const isFrom = (text: string) =>
    source !== null && rangeWithin(rangeOf({ ...source, zone: null }), parseRange(text)!);
  if (from.length > 0 && !from.some(isFrom)) {
    throw refusal(`The claim key is not for requests from ${sourceAddress ?? 'nowhere'}`);
  }
}

function requireNetworks({ networks }: StoredKey, host: ClaimingHost): void {
  const attached = host.networks.flatMap((text) => parseRange(text) ?? []);
  const isAttached = (text: string) => attached.some((one) => rangesOverlap(one, parseRange(text)!));
  if (networks.length > 0 && !networks.some(isAttached)) {
    throw refusal('The claim key is not for hosts in the networks of this one');
  }
}

async function answerTo(
  context: AccessContext,
  call: CallOf<Operations['claimAgent']>,
  key: StoredKey,
  found: StoredClaim,
  csr: string,
) {
  const { requestId, sourceAddress } = call;
  const by = { actor: 'enrolment', requestId, sourceAddress };
  const claim = key.approve === 'at once' ? await approve(context, key, found, by) : found;
  if (claim.state === 'refused') throw refusal('The claim of this host has been refused');
  if (claim.state === 'waiting') return waiting(context, key, claim);
  const { agent, stage, certificate, authority, broker } = await certified(context, claim, csr);
  const detail = { claim: claim.id, key: key.name, host: claim.host.name, state: 'enrolled', agent };
  await call.audit(detail, { site: siteOfAgent(agent), actor: 'enrolment' });
  return { success: true as const, agent, stage, certificate, authority, broker };
}

function waiting({ now }: AccessContext, { expiresAt }: StoredKey, { id, claimedAt }: StoredClaim): HandlerResult {
  const { least, most, partOfWait } = ASK_AGAIN_S;
  const waitedS = (now().getTime() - Date.parse(claimedAt)) / 1000;
  const askAgainSeconds = Math.round(Math.min(Math.max(waitedS * partOfWait, least), most));
  const body = { success: true, claim: id, state: 'waiting', expiresAt, askAgainSeconds };
  return new HandlerResult(body, { status: 202, headers: { 'Retry-After': String(askAgainSeconds) } });
}

/** The certificate of a claim that is approved, and the agent that its host is from now on. */
async function certified(context: AccessContext, approved: StoredClaim, csr: string) {
  const { claims, registry } = context;
  let claim = approved;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { id, state, agent: former, certificate: formerCertificate, decidedAt } = claim;
    const agent = former ?? (await freeName(context, claim));
    // The answer to an earlier request was lost, or its function killed.
    const replaces = former !== null && (await isItsOwn(context, former, formerCertificate));
    let noted: string | null = null;
    const note = async ({ certificateId }: { certificateId: string }) => {
      const changed = await claims.change(id, (before) => {
        const isSame = before.state === state && before.certificate === formerCertificate;
        return isSame ? { state: 'enrolled', agent, certificate: certificateId } : null;
      });
      if (changed?.certificate !== certificateId)
        throw new ServiceError('conflict', 'Claimed twice', { retryAfter: 2 });
      noted = certificateId;
    };
    const undo = async () => {
      const again = { state: 'approved' as const, agent: null, certificate: null };
      const left = await claims.change(id, ({ certificate }) =>
        noted === null || certificate !== noted ? null : again,
      );
      if (left !== null) claim = left;
    };
    const permit = { agent, replaces, madeAt: new Date(decidedAt ?? 0) };
    const issued = await certify(context, permit, csr, { undo, note });
    if (!('refusal' in issued)) {
      if (formerCertificate !== null && !replaces) await registry.retire(agent, formerCertificate);
      return { agent, ...issued };
    }
    if (issued.refusal === 'revoked') throw refusal(`The agent ${agent} has been revoked since; claim again`);
    if (issued.refusal === 'removed') throw refusal(`The site "${siteOfAgent(agent)}" has been removed`);
    await undo();
  }
  throw new ServiceError('conflict', 'Other hosts take the names of this one; try again', { retryAfter: 2 });
}

/**
 * Whether an agent still has the certificate that was made for its claim; false when it has none.
 * @throws {ServiceError} `enrolment_refused` when it has connected, or somebody else is that agent now
 */
async function isItsOwn({ sites, certificates }: AccessContext, agent: AgentId, certificate: string | null) {
  const known = await certificates.find(agent);
  if (known === null) return false;
  const { state = 'offline' } = (await sites.findAgent(agent)) ?? {};
  const isNew = known.certificateId === certificate && known.next === null && state === 'enrolling';
  if (!isNew) throw refusal(`The claim of this host has been used already, as the agent ${agent}`);
  return true;
}

async function freeName({ sites, now }: AccessContext, { id, site, name, host }: StoredClaim): Promise<AgentId> {
  const wanted = name ?? nameFrom(host.name);
  for (let n = 1; n <= NUMBERS; n++) {
    const agent = agentId(site!, numbered(wanted, n));
    const found = await sites.replacedBy({ agent, replaces: false, madeAt: now() });
    if (!('refusal' in found)) return agent;
  }
  return agentId(site!, numbered(wanted, id.slice(-8)));
}

/**
 * A site for a host, named after it: the same one for every try, so that a claim has one, however many requests come at once or
 * are cut off. What its templates could not make is made within the hour.
 */
async function siteFor(
  context: AccessContext,
  { tags }: StoredKey,
  { id: claim, host }: StoredClaim,
  by: AppliedBy,
): Promise<SiteId> {
  const wanted = nameFrom(host.name);
  const name = startOf(legible(oneLine(host.name)).trim(), 100) || wanted;
  const site = { name, tags, createdAt: context.now().toISOString(), claim };
  for (let n = 1; n <= NUMBERS * 5; n++) {
    const id = numbered(wanted, n);
    if (await addSite(context, { id, ...site })) {
      await applyAt(context, id, by).catch((error: unknown) => {
        context.log.warn({ err: error, site: id }, 'cannot make what templates say of the new site of a host');
      });
      return id;
    }
    if ((await context.sites.takenBy(id))?.claim === claim) return id;
  }
  throw new ServiceError('conflict', `There are too many sites that are called ${wanted}`);
}

function refusal(message: string): ServiceError {
  return new ServiceError('enrolment_refused', message);
}
