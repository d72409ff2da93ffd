/**
 * `lanreach-agent doctor`: checks all requirements of the agent, and recommends an action for each problem. It reads the
 * policy and connects with the same code as the agent. While an agent runs, the doctor stops after the TLS handshake,
 * because a second connection with the same client id would end the agent's own, and queries the agent for the state of
 * its connection, over the socket that locks the state directory (`agent/state/lock.ts`).
 */
import type { Config } from '../config.ts';
import { endpointOf } from '../link/session.ts';
import { snmpPath } from '../recognition/snmp-file.ts';
import { enterAsOwner } from '../state/ownership.ts';
import { checkBroker } from './broker.ts';
import { checkClock } from './clock.ts';
import type { Finding } from './finding.ts';
import { checkNetworks, checkNode, checkPrograms, checkRawSockets, checkSystem } from './host.ts';
import { checkCertificate, checkIdentity, checkPolicy, checkRunning, checkSnmp, checkStateDirectory } from './state.ts';
import { checkUpdates } from './updates.ts';

/** Yields each finding at once. Disturbs no running agent. @param apiUrl null = that of the identity or a setting */
export async function* examine(config: Config, apiUrl: string | null): AsyncGenerator<Finding, void> {
  yield checkNode();
  const system = checkSystem();
  if (system !== null) yield system;
  yield* await checkPrograms();
  yield checkRawSockets();
  yield checkNetworks();
  const { path, leave } = await enterAsOwner(config.stateDirectory);
  try {
    yield* examineState(path, config, apiUrl);
  } finally {
    leave();
  }
}

async function* examineState(stateDirectory: string, config: Config, apiUrl: string | null): AsyncGenerator<Finding> {
  yield await checkPolicy(stateDirectory, config.policyFile);
  const snmp = await checkSnmp(snmpPath(stateDirectory, config.snmpFile));
  if (snmp !== null) yield snmp;
  yield await checkStateDirectory(stateDirectory);
  const updates = checkUpdates(stateDirectory);
  if (updates !== null) yield updates;
  const { finding, identity } = await checkIdentity(stateDirectory);
  yield finding;
  const api = apiUrl ?? config.api ?? identity?.api ?? null;
  if (api !== null) yield await checkClock(api);
  if (identity === null) return;
  yield checkCertificate(identity);
  const running = await checkRunning(stateDirectory);
  try {
    yield running.finding;
    const endpoint = endpointOf(identity, config.broker ?? identity.broker);
    yield* checkBroker(identity, endpoint, running.hold === null);
    if (running.connection !== null) yield running.connection;
  } finally {
    running.hold?.release();
  }
}

/** For people: one line, and a second one for a hint. */
export function formatFinding({ check, state, message, hint }: Finding): string {
  const line = `${state.padEnd(8)} ${check}: ${message}\n`;
  return hint === null ? line : `${line}         -> ${hint}\n`;
}

export function formatReport(findings: readonly Finding[]): string {
  return `${JSON.stringify({ ok: isFit(findings), findings }, null, 2)}\n`;
}

/** Whether there is no problem; warnings do not count. */
export function isFit(findings: readonly Finding[]): boolean {
  return findings.every(({ state }) => state !== 'problem');
}
