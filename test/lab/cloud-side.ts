/** The cloud's side of a lab, behind the router, and agents of one of its sites on hosts of the LAN: the programs as they are built. */
import { join } from 'node:path';
import type { Lab, LabProcess, LabRunOptions } from './lab.ts';
import { bare, SERVER } from './plan.ts';
import { linesOf, startSystem, TOKEN } from './system-inside.ts';

export const CLOUD = bare(SERVER.ipv4);
export const API_PORT = 8787;
export const BROKER_PORT = 8883;
/** A built program. */
export const program = (name: string) => join(import.meta.dirname, '..', '..', 'dist', name);

export interface CloudSide {
  /** A request about the site, which must succeed. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  enrol(name: string, host?: LabRunOptions['host']): Promise<void>;
  /** @param onLine is called with each line that the agent prints */
  startAgent(name: string, host?: LabRunOptions['host'], onLine?: (line: string) => void): Promise<LabProcess>;
}

/** @returns the URL at which it is reached from outside */
export function startCloud(lab: Lab, variables: Record<string, string> = {}): Promise<string> {
  const cloud = { HOST: CLOUD, MQTT_PORT: String(BROKER_PORT), LANREACH_DATA: join(lab.folder, 'cloud') };
  return startSystem(lab, { host: 'server', port: API_PORT, address: CLOUD, variables: { ...cloud, ...variables } });
}

export async function startCloudSide(lab: Lab, site: string): Promise<CloudSide> {
  const base = await startCloud(lab);
  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'x-site': site };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, { method, headers, ...sent });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
  const ask = async <T>(method: string, path: string, body?: unknown) =>
    (await (await send(method, path, body)).json()) as T;
  const on = (name: string, host?: string, more: object = {}): LabRunOptions => ({
    ...(host === undefined ? {} : { host }),
    env: { LANREACH_AGENT_DATA: join(lab.folder, name), ...more },
  });
  await ask('POST', '/sites', { id: site });
  return {
    send,
    ask,
    async enrol(name, host) {
      const { code } = await ask<{ code: string }>('POST', `/sites/${site}/agents`, { name });
      const command = ['enrol', '-', '--url', `http://${CLOUD}:${API_PORT}`];
      const enrolment = await lab.run([process.execPath, program('agent.js'), ...command], on(name, host));
      const answered = linesOf(enrolment);
      enrolment.stdin.end(code);
      if ((await enrolment.exited).code !== 0) throw new Error(`enrolment of ${name}: ${answered.join('\n')}`);
    },
    async startAgent(name, host, onLine) {
      const more = onLine === undefined ? {} : { LANREACH_LOG_LEVEL: 'debug' };
      const agent = await lab.run([process.execPath, program('agent.js')], on(name, host, more));
      linesOf(agent, onLine);
      return agent;
    },
  };
}
