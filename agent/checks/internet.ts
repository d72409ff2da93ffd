/** Whether there is a way out to the internet, and by which public address. */
import * as z from 'zod';
import { parseIp } from '../../shared/network.ts';
import { MACOS_ROUTE, macosGateway } from '../host/default-routes.ts';
import { jsonItems, listOf } from '../host/json-items.ts';
import { PLATFORM, type Platform } from '../host/platform.ts';
import type { RunProcess } from '../host/run-process.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { Measured } from '../measurements/measured.ts';
import { outputOf } from '../tools/exit.ts';
import { type Finding, NoAnswer, unanswered } from './finding.ts';

/**
 * Asks all anchors at once: the best round trip counts, and the loss over all. It fails when none answers.
 * @param ask pings one of them
 * @param askGateway whether the gateway answers: asked when no anchor does
 * @throws {NotSent} when none may be asked
 */
export async function internet(
  anchors: readonly string[],
  ask: (anchor: string) => Promise<Finding>,
  askGateway: () => Promise<boolean | null>,
): Promise<Finding> {
  const asked = await Promise.allSettled(anchors.map(ask));
  const findings = asked.flatMap((each) => {
    if (each.status === 'fulfilled') return [each.value];
    // Without the internet, no name is found either.
    return each.reason instanceof NoAnswer ? [unanswered(each.reason.reason)] : [];
  });
  const all = findings.flatMap(({ measured }) => (measured === null ? [] : [measured]));
  if (all.length === 0) throw asked.find((each) => each.status === 'rejected')?.reason;
  const measured = together(all);
  if (measured.rttMs !== null) return { fault: null, measured };
  const gateway = await askGateway();
  return { fault: findings[0]?.fault ?? 'no anchor answers', measured, gateway };
}

function together(all: readonly Measured[]): Measured {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const best = all.reduce((a, b) => ((b.rttMs ?? Infinity) < (a.rttMs ?? Infinity) ? b : a));
  return { ...best, sent: sum(all.map(({ sent }) => sent)), lost: sum(all.map(({ lost }) => lost)) };
}

const Routes = listOf(z.looseObject({ gateway: z.string(), dev: z.string().optional() }));
const ASK = { timeoutMs: 5_000, maxBytes: 100_000, endsByItself: true };

/** The address of the default gateway; null when there is none, or it is not known. */
export async function defaultGateway(
  run: RunProcess,
  signal: AbortSignal,
  platform = PLATFORM,
): Promise<string | null> {
  for (const { program, args, gatewayIn } of GATEWAYS[platform]) {
    try {
      const gateway = gatewayIn(await outputOf(run, program, args, { ...ASK, signal }));
      if (gateway !== null) return gateway;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return null;
}

interface GatewaySource {
  program: string;
  args: readonly string[];
  gatewayIn(stdout: string): string | null;
}

const GATEWAYS: Record<Platform, readonly GatewaySource[]> = {
  linux: ['-4', '-6'].map((family) => ({
    program: 'ip',
    args: ['-json', family, 'route', 'show', 'default'],
    gatewayIn,
  })),
  macos: [{ ...MACOS_ROUTE, gatewayIn: macosGateway }],
};

/** From what `ip -json route show default` prints. */
function gatewayIn(json: string): string | null {
  for (const { gateway, dev = '' } of Routes.parse(jsonItems(json))) {
    const text = /^fe[89ab]/i.test(gateway) ? `${gateway}%${dev}` : gateway;
    if (parseIp(text) !== null) return text;
  }
  return null;
}

/**
 * Whether a public address is another one than was told. Of IPv6 the network counts, because hosts change the rest every
 * day. With both kinds, the look-up gives now this and now that: another kind counts when it comes twice in a row.
 * @param last what the look-up before has given
 */
export function isNewAddress(told: string | null, found: string, last: string | null): boolean {
  if (told === null) return true;
  const [known, now] = [networkOf(told), networkOf(found)];
  if (now === null || now === known) return false;
  return isIpv6(told) === isIpv6(found) || (last !== null && isIpv6(last) === isIpv6(found));
}

const isIpv6 = (address: string) => address.includes(':');

function networkOf(text: string): string | null {
  const address = parseIp(text);
  if (address === null) return null;
  return address.family === 4 ? `4 ${address.value}` : `6 ${address.value >> 64n}`;
}
