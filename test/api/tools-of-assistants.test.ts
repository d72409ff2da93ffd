/** Each tool of assistants, in the function that has them all; `test/mcp.test.ts` has what they answer. */
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { tools } from '../../functions/assistants/endpoint.ts';
import { tools as toolDeclarations } from '../../shared/tools/list.ts';
import { storeAgent } from '../support/stored-site.ts';
import { asFunction } from '../support/table-rights.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();

test('the function of commands has the rights for every tool', async () => {
  const [mac, other] = ['AA:BB:CC:00:00:01', 'AA:BB:CC:00:00:02'];
  const site = await api.addSite(`devName,devMac\nPC,${mac}\nTV,${other}\n`);
  const agent = await storeAgent(api.context, site, 'attic');
  const id = `${site}.${uuidv7()}`;
  const command = { tool: 'interfaces' } as const;
  await api.context.jobs.create({ id, agent, command, actor: 'test', sourceAddress: null });
  const { json } = await api.request('POST', '/batches', { body: { tool: 'interfaces', sites: [site] } });
  const { id: batch } = json as { id: string };
  const called: [string, object][] = [
    ...['list_sites', 'list_devices', 'get_latest_device', 'get_network_topology', 'propose_topology'],
    ...['find_same_devices', 'what_changed', 'changes_since', 'list_checks', 'site_matrix', 'list_schedules'],
  ].map((name): [string, object] => [name, {}]);
  called.push(
    ['search_devices', { query: 'pc' }],
    ['find_devices', { q: 'nas' }],
    ['join_devices', { mac, macs: [other] }],
    ['split_device', { mac }],
    ['explain_device', { target: mac }],
    ['set_device_alias', { mac, alias: 'shelf' }],
    ['get_job', { id }],
    ['get_open_ports', { target: mac }],
    ['get_series', { of: 'speed' }],
    ['add_check', { kind: 'ping', host: '192.168.1.1' }],
    ['add_schedule', { name: 'nightly', tool: 'interfaces', cron: '0 2 * * *' }],
    ['run_on_sites', { tool: 'interfaces', sites: [site] }],
    ['get_batch', { id: batch }],
    ['compare_batch', { id: batch }],
    ['cancel_batch', { id: batch }],
    // Of what is not there, and without an agent that is connected.
    ['remove_schedule', { schedule: '0123456789ab' }],
    ['start_scan', { range: '10.0.0.0/16' }],
    ['get_scan', { scan: '0123456789ab' }],
  );
  const headers = { accept: 'application/json, text/event-stream' };
  for (const [name, given] of called) {
    const ofAll = /job$|batch$|^run_on_sites$|^list_sites$|^find_devices$|matrix$/.test(name);
    const params = { name, arguments: { ...given, ...(ofAll ? {} : { site }) } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { text } = await api.request('POST', '/mcp', { body, headers });
    if (!/^remove_schedule$|_scan$|^cancel_batch$/.test(name)) expect(text, name).not.toContain('isError');
  }
  // What a start does that fails.
  await asFunction('commands', () => api.context.jobs.releaseKey('test', 'key', id));
  await asFunction('commands', () => api.context.runs.remove(site, id));
  // An agent has to answer these.
  const commands = Object.values(toolDeclarations).flatMap((tool) => ('mcp' in tool ? tool.mcp.name : []));
  expect([...tools.keys()].sort()).toEqual(
    [...called.map(([name]) => name), 'cancel_job', 'trigger_scan', ...commands].sort(),
  );
});
