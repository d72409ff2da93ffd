/** Resolves the host of a check or a source to one address that the policy allows, which is then used as it is. */
import { lookup } from 'node:dns/promises';
import pLimit from 'p-limit';
import { deadline } from '../../shared/async.ts';
import { formatIp, type IpAddress, namesNoHost, parseHostName, parseIp, rangeOf } from '../../shared/network.ts';
import type { Attachment } from '../host/network.ts';
import { isThisHost } from '../tools/nslookup.ts';
import { checkTarget, checkZone, requireZone, type TargetRules } from '../tools/target-policy.ts';
import { ANSWER_WITHIN_MS, NoAnswer, NotSent } from './finding.ts';

/** Each look-up occupies one of the four threads of Node.js, which also serve files, until DNS answers. */
const limitLookups = pLimit(2);
/** Look-ups in flight, by name: checks share them. */
const inFlight = new Map<string, Promise<string[]>>();

function refusalOf(rules: TargetRules, section: string, address: IpAddress, host: Attachment): string | null {
  const range = rangeOf(address);
  if (namesNoHost(range)) return `${formatIp(address)} is not the address of a host`;
  const refusal = requireZone(range) ?? checkZone(range, host) ?? checkTarget(rules, section, range, host);
  return refusal?.message ?? null;
}

/**
 * The address of a host in canonical form: for a name, the first that the rules allow.
 * @param section of the policy file that the rules are from
 * @throws {NotSent} when the rules allow none, or for an invalid host
 * @throws {NoAnswer} when the name cannot be resolved
 */
export async function addressOf(
  host: string,
  rules: TargetRules,
  attachment: Attachment,
  resolve = addressesOf,
  section = 'checks',
): Promise<string> {
  if (!rules.enabled) throw new NotSent(`The policy of this agent does not allow ${section}`);
  const literal = parseIp(host);
  const name = literal === null ? parseHostName(host) : null;
  if (literal === null && name === null) throw new NotSent('expected an address or the name of a host');
  const texts = name === null ? [] : await resolve(name);
  const addresses = literal === null ? texts.map(parseIp).filter((each) => each !== null) : [literal];
  let refused: string | null = null;
  for (const address of addresses) {
    const refusal = refusalOf(rules, section, address, attachment);
    if (refusal === null) return formatIp(address);
    refused ??= refusal;
  }
  throw refused === null ? new NoAnswer({ code: 'no-address', values: { name: name ?? host } }) : new NotSent(refused);
}

/** By the host's own resolver, with its hosts file, its search list and mDNS. */
async function addressesOf(name: string): Promise<string[]> {
  if (isThisHost(name)) return ['127.0.0.1', '::1'];
  const resolved = inFlight.get(name) ?? limitLookups(() => resolveName(name));
  inFlight.set(name, resolved);
  const forget = () => inFlight.get(name) === resolved && inFlight.delete(name);
  resolved.then(forget, forget);
  return deadline(resolved, ANSWER_WITHIN_MS, () => {
    throw new NoAnswer({ code: 'look-up-silent', values: { name } });
  });
}

async function resolveName(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    throw new NoAnswer({ code: 'look-up-unknown', values: { name } });
  }
}
