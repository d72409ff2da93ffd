/** From a host, as a check names it, to the one address that is asked: found here, judged by the policy, and used as it is. */
import { lookup } from 'node:dns/promises';
import pLimit from 'p-limit';
import { deadline } from '../../shared/async.ts';
import { formatIp, type IpAddress, namesNoHost, parseHostName, parseIp, rangeOf } from '../../shared/network.ts';
import type { Attachment } from '../host/network.ts';
import { isThisHost } from '../tools/nslookup.ts';
import { checkTarget, checkZone, requireZone, type TargetRules } from '../tools/target-policy.ts';
import { NoAnswer, NotSent } from './finding.ts';

/** Each occupies one of the four threads that Node.js has also for files, for as long as DNS does not answer. */
const LOOKUPS_AT_ONCE = 2;
const LOOKUP_MS = 5_000;

const inTurn = pLimit(LOOKUPS_AT_ONCE);
/** Look-ups under way, by name: many checks may ask for one. */
const underWay = new Map<string, Promise<string[]>>();

/** Why the rules refuse an address; null when they allow it. */
function refusalOf(rules: TargetRules, address: IpAddress, host: Attachment): string | null {
  if (!rules.enabled) return 'The policy of this agent does not allow checks';
  const range = rangeOf(address);
  if (namesNoHost(range)) return `${formatIp(address)} is not the address of a host`;
  const refusal = requireZone(range) ?? checkZone(range, host) ?? checkTarget(rules, 'checks', range, host);
  return refusal?.message ?? null;
}

/**
 * The address of a host in canonical form: of a name, the first that the rules allow.
 * @throws {NotSent} when the rules allow none, or it is no host
 * @throws {NoAnswer} when the name cannot be resolved
 */
export async function addressOf(
  host: string,
  rules: TargetRules,
  attachment: Attachment,
  resolve = addressesOf,
): Promise<string> {
  if (!rules.enabled) throw new NotSent('The policy of this agent does not allow checks');
  const literal = parseIp(host);
  const name = literal === null ? parseHostName(host) : null;
  if (literal === null && name === null) throw new NotSent('expected an address or the name of a host');
  const texts = name === null ? [] : await resolve(name);
  const addresses = literal === null ? texts.map(parseIp).filter((each) => each !== null) : [literal];
  let refused: string | null = null;
  for (const address of addresses) {
    const refusal = refusalOf(rules, address, attachment);
    if (refusal === null) return formatIp(address);
    refused ??= refusal;
  }
  throw refused === null ? new NoAnswer({ code: 'no-address', values: { name: name ?? host } }) : new NotSent(refused);
}

/** By the host's own resolver, which also knows its hosts file, its search list and mDNS. */
async function addressesOf(name: string): Promise<string[]> {
  if (isThisHost(name)) return ['127.0.0.1', '::1'];
  const asked = underWay.get(name) ?? inTurn(() => lookup(name, { all: true })).then(found, notFound(name));
  underWay.set(name, asked);
  const forget = () => underWay.get(name) === asked && underWay.delete(name);
  asked.then(forget, forget);
  return deadline(asked, LOOKUP_MS, () => {
    throw new NoAnswer({ code: 'look-up-silent', values: { name } });
  });
}

const found = (all: readonly { address: string }[]) => all.map(({ address }) => address);
const notFound = (name: string) => (): never => {
  throw new NoAnswer({ code: 'look-up-unknown', values: { name } });
};
