/** Runs one check once, within the policy of this host. */
import type { Probe } from '../../shared/agent/plan.ts';
import { Command } from '../../shared/tools/list.ts';
import { type Attachment, attachment } from '../host/network.ts';
import type { RunProcess } from '../host/run-process.ts';
import { nullIfFailed, ToolFailure } from '../host/tool-failure.ts';
import { type AgentPolicy, checkCommand } from '../jobs/policy.ts';
import { internetInfo } from '../tools/internet-info.ts';
import type { ToolSettings } from '../tools/tool.ts';
import { traceroute } from '../tools/traceroute.ts';
import { addressOf } from './address.ts';
import { dns } from './dns.ts';
import { type Finding, faultOf, NoAnswer, NotSent, notSent, unanswered } from './finding.ts';
import { hostOf, http, webUrl } from './http.ts';
import { defaultGateway, internet } from './internet.ts';
import { hopsOf } from './path.ts';
import { ping } from './ping.ts';
import { tcp } from './tcp.ts';

interface ProbeMeans {
  run: RunProcess;
  policy: AgentPolicy;
  settings: ToolSettings;
}

/** @param ok whether the site answered @returns whether to trace the path to it as well */
export type WantsPath = (ok: boolean) => boolean;

/** Rejects only because of a defect. */
export async function runProbe(probe: Probe, means: ProbeMeans, signal: AbortSignal, wantsPath: WantsPath) {
  const host = attachment();
  const address = (name: string) => addressOf(name, means.policy.checks, host);
  const pingHost = async (name: string) => ping(means.run, await address(name), signal);
  const run = async (): Promise<Finding> => {
    switch (probe.kind) {
      case 'ping':
        return pingHost(probe.host);
      case 'tcp':
        return tcp(await address(probe.host), probe.port, signal);
      case 'http':
        return http(probe, await address(hostOf(webUrl(probe.url))), signal);
      case 'dns':
        return dns(probe, await serverOf(probe.server, means, address), signal);
      case 'internet':
        return internet(probe.anchors, pingHost, () => gatewayAnswers(means, pingHost, signal));
      case 'site': {
        const target = await address(probe.host);
        return withPath(await ping(means.run, target, signal), target, means, host, signal, wantsPath);
      }
    }
  };
  try {
    return await run();
  } catch (error) {
    if (error instanceof NoAnswer) return unanswered(error.reason);
    if (error instanceof NotSent || error instanceof ToolFailure) return notSent(error.message);
    throw error;
  }
}

async function serverOf(
  server: string | undefined,
  { policy }: ProbeMeans,
  address: (name: string) => Promise<string>,
): Promise<string | null> {
  if (server !== undefined) return address(server);
  if (!policy.checks.enabled) throw new NotSent('The policy of this agent does not allow checks');
  return null;
}

async function gatewayAnswers({ run }: ProbeMeans, pingHost: (name: string) => Promise<Finding>, signal: AbortSignal) {
  const gateway = await defaultGateway(run, signal);
  if (gateway === null) return null;
  try {
    return (await pingHost(gateway)).fault === null;
  } catch (error) {
    if (error instanceof NotSent) return null; // The policy denies it.
    throw error;
  }
}

async function withPath(
  finding: Finding,
  address: string,
  means: ProbeMeans,
  host: Attachment,
  signal: AbortSignal,
  wantsPath: WantsPath,
): Promise<Finding> {
  if (finding.measured === null || !wantsPath(finding.fault === null)) return finding;
  const trace = await traceTo(address, means, host, signal);
  if (trace === null) return finding;
  const hops = hopsOf(trace);
  if (finding.fault === null) return trace.reached ? { ...finding, hops } : finding;
  const end = hops.flat().at(-1);
  if (end === undefined) return finding;
  const { fault, reasonCode } = finding;
  if (reasonCode?.code !== 'pings-unanswered') return { ...finding, fault: `${fault}; the way ends at ${end}` };
  return { ...finding, ...faultOf({ ...reasonCode, values: { ...reasonCode.values, end } }) };
}

/** Null when the trace fails, or the policy denies it. */
async function traceTo(address: string, { run, policy, settings }: ProbeMeans, host: Attachment, signal: AbortSignal) {
  const command = Command.parse({ tool: 'traceroute', target: address });
  if (command.tool !== 'traceroute' || checkCommand(policy, command, host) !== null) return null;
  const context = { run, rules: policy.traceroute, signal, settings, onOutput() {}, onProgress() {} };
  return (await nullIfFailed(traceroute.run(command, context)))?.result ?? null;
}

/** The public address of the site, with its provider. Null when no service responds, or the policy denies it. */
export async function publicAddress(
  { run, policy, settings }: ProbeMeans,
  signal: AbortSignal,
): Promise<{ address: string; provider: string | null } | null> {
  if (!policy.internetinfo.enabled) return null;
  const context = { run, rules: policy.internetinfo, signal, settings, onOutput() {}, onProgress() {} };
  const answer = await nullIfFailed(internetInfo.run({ tool: 'internetinfo' }, context));
  return answer && { address: answer.result.ip, provider: answer.result.organisation || null };
}
