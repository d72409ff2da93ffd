/** Whether the internet is reachable, and by which public address. */
import * as z from 'zod';
import { parseIp } from '../../shared/network.ts';
import { jsonItems, listOf } from '../host/json-items.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { RunProcess } from '../host/run-process.ts';
import { nullIfFailed } from '../host/tool-failure.ts';
import type { Measured } from '../measurements/measured.ts';
import { outputOf } from '../tools/exit.ts';
import { type Finding, NoAnswer, unanswered } from './finding.ts';

/**
 * Pings all anchors at once: the best round trip counts, and the total loss. Fails when none answers, and then reports
 * whether the gateway does.
 * @throws {NotSent} when the policy allows no anchor
 */
export async function internet(
  anchors: readonly string[],
  ping: (anchor: string) => Promise<Finding>,
  gatewayAnswers: () => Promise<boolean | null>,
): Promise<Finding> {
  const results = await Promise.allSettled(anchors.map(ping));
  const findings = results.flatMap((each) => {
    if (each.status === 'fulfilled') return [each.value];
    // Without the internet, no name resolves either.
    return each.reason instanceof NoAnswer ? [unanswered(each.reason.reason)] : [];
  });
  const all = findings.flatMap(({ measured }) => (measured === null ? [] : [measured]));
  if (all.length === 0) throw results.find((each) => each.status === 'rejected')?.reason;
  const measured = together(all);
  if (measured.rttMs !== null) return { fault: null, measured };
  const gateway = await gatewayAnswers();
  return { fault: findings[0]?.fault ?? 'no anchor answers', measured, gateway };
}

function together(all: readonly Measured[]): Measured {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const best = all.reduce((a, b) => ((b.rttMs ?? Infinity) < (a.rttMs ?? Infinity) ? b : a));
  return { ...best, sent: sum(all.map(({ sent }) => sent)), lost: sum(all.map(({ lost }) => lost)) };
}

const Routes = listOf(z.looseObject({ gateway: z.string(), dev: z.string().optional() }));
const LIMITS = { timeoutMs: 5_000, maxBytes: 100_000, endsByItself: true };

/** The address of the default gateway; null when it is unknown. */
export async function defaultGateway(run: RunProcess, signal: AbortSignal, platform = PLATFORM) {
  for (const { program, args, gatewayIn } of GATEWAYS[platform]) {
    const output = await nullIfFailed(outputOf(run, program, args, { ...LIMITS, signal }));
    const gateway = output === null ? null : gatewayIn(output);
    if (gateway !== null) return gateway;
  }
  return null;
}

type GatewaySource = { program: string; args: readonly string[]; gatewayIn(stdout: string): string | null };

const GATEWAYS: Record<Platform, readonly GatewaySource[]> = {
  linux: ['-4', '-6'].map((family) => ({
    program: 'ip',
    args: ['-json', family, 'route', 'show', 'default'],
    gatewayIn,
  })),
  macos: [{ program: 'route', args: ['-n', 'get', 'default'], gatewayIn: macosGateway }],
};

export function macosGateway(stdout: string): string | null {
  const gateway = /^\s*gateway: (\S{1,60})\s*$/m.exec(stdout)?.[1] ?? '';
  return parseIp(gateway) === null ? null : gateway;
}

function gatewayIn(json: string): string | null {
  for (const { gateway, dev = '' } of Routes.parse(jsonItems(json))) {
    const text = /^fe[89ab]/i.test(gateway) ? `${gateway}%${dev}` : gateway;
    if (parseIp(text) !== null) return text;
  }
  return null;
}

/**
 * Whether a public address differs from the reported one. Of IPv6 the network counts, because hosts change the rest every
 * day. On a dual-stack site the look-up returns either family: a change of family counts when it occurs twice in a row.
 * @param last the result of the previous look-up
 */
export function isNewAddress(reported: string | null, found: string, last: string | null): boolean {
  if (reported === null) return true;
  const [known, now] = [networkOf(reported), networkOf(found)];
  if (now === null || now === known) return false;
  return isIpv6(reported) === isIpv6(found) || (last !== null && isIpv6(last) === isIpv6(found));
}

const isIpv6 = (address: string) => address.includes(':');

function networkOf(text: string): string | null {
  const address = parseIp(text);
  if (address === null) return null;
  return address.family === 4 ? `4 ${address.value}` : `6 ${address.value >> 64n}`;
}
