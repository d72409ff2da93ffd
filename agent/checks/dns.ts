/** Whether a name server gives the expected answer. */
import { Resolver } from 'node:dns/promises';
import type { Probe } from '../../shared/agent/plan.ts';
import { codeOf } from '../../shared/errno.ts';
import { canonicalAddress, parseIp } from '../../shared/network.ts';
import type { Reason } from '../../shared/reasons.ts';
import { readableName } from '../discovery/names.ts';
import { reverseName } from '../tools/nslookup.ts';
import { answered, type Finding, unanswered } from './finding.ts';

/** Node.js checks timeouts once a second, so each takes up to a second more. */
const LIMITS = { timeout: 2_000, tries: 2 };

type DnsProbe = Omit<Extract<Probe, { kind: 'dns' }>, 'kind' | 'server'>;

/** @param server a literal that the policy allows, with or without a port; null for the servers of this host */
export async function dns(probe: DnsProbe, server: string | null, signal: AbortSignal): Promise<Finding> {
  const resolver = new Resolver(LIMITS); // A new one has no cache.
  if (server !== null) resolver.setServers([server]);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const startedAt = performance.now();
  try {
    const answers = await query(resolver, probe);
    const rttMs = performance.now() - startedAt;
    if (answers.length === 0) return unanswered({ code: 'dns-no-record' });
    const { expect } = probe;
    if (expect === undefined || answers.some((names) => names.some((name) => canonical(name) === canonical(expect)))) {
      return answered(rttMs);
    }
    const said = answers.map(([first]) => first).join(', ');
    return unanswered({ code: 'dns-other-answers', values: { expected: expect, answers: said } });
  } catch (error) {
    const code = codeOf(error);
    return unanswered(FAULTS[code] ?? { code: 'dns-error', values: { error: code || 'no code' } });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The answers, each in the notations that a person may expect, the complete one first. */
async function query(resolver: Resolver, { name, record }: DnsProbe): Promise<string[][]> {
  const one = (answers: readonly string[]) => answers.map((answer) => [answer]);
  switch (record) {
    case 'A':
      return one(await resolver.resolve4(name));
    case 'AAAA':
      return one(await resolver.resolve6(name));
    case 'CNAME':
      return one(await resolver.resolveCname(name));
    case 'NS':
      return one(await resolver.resolveNs(name));
    case 'PTR': {
      const address = parseIp(name);
      return one((await resolver.resolvePtr(address === null ? name : reverseName(address))).map(readableName));
    }
    case 'TXT':
      return one((await resolver.resolveTxt(name)).map((pieces) => pieces.join('')));
    case 'MX':
      return (await resolver.resolveMx(name)).map(({ priority, exchange }) => [`${priority} ${exchange}`, exchange]);
    case 'SRV':
      return (await resolver.resolveSrv(name)).map(({ priority, weight, port, name: host }) => [
        `${priority} ${weight} ${port} ${host}`,
        `${host}:${port}`,
        host,
      ]);
  }
}

/** Without the case and a final dot of a name, and the notation of an address. */
function canonical(text: string): string {
  return canonicalAddress(text) ?? text.replace(/\.$/, '').toLowerCase();
}

const FAULTS: Readonly<Record<string, Reason>> = {
  ENOTFOUND: { code: 'dns-no-name' },
  ENODATA: { code: 'dns-no-record' },
  ESERVFAIL: { code: 'dns-failed' },
  EREFUSED: { code: 'dns-refused' },
  ETIMEOUT: { code: 'dns-silent' },
  ECANCELLED: { code: 'dns-silent' },
  ECONNREFUSED: { code: 'dns-unreachable' },
  ENOSERVER: { code: 'dns-no-server' },
};
