import { join } from 'node:path';
import { pino } from 'pino';
import { startAgent } from '../../../agent/agent.ts';
import { parsePolicy } from '../../../agent/jobs/policy.ts';
import { lockDirectory } from '../../../agent/state/lock.ts';
import { runTool } from '../../../agent/tools/registry.ts';
import { LOCAL_STAGE } from '../../../shared/identity.ts';
import { AGENT } from './broker.ts';

/** Starts an agent in this process, which connects to the test broker at this port. */
export async function startTestAgent(
  stateDirectory: string,
  port: number,
  options: Partial<Parameters<typeof startAgent>[0]> = {},
) {
  return startAgent({
    ...{ stage: LOCAL_STAGE, agent: AGENT, stateDirectory, lock: await lockDirectory(stateDirectory, 0) },
    dial: () => ({ protocol: 'mqtt', host: '127.0.0.1', port }),
    ...{ policy: parsePolicy({}), snmpFile: join(stateDirectory, 'snmp.json'), updates: null, runTool },
    ...{ internetInfoUrl: null, speedtestServer: null, version: '0.0.0', log: pino({ level: 'silent' }) },
    ...options,
  });
}
