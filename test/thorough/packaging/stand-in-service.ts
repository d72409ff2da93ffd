/**
 * The service, as far as an agent sees it: it enrols one, has its broker, and hands out what stands in a folder. Whoever
 * tests asks it by HTTP: `/plan/<version>` offers a release and has the agent take it, `/said` is what the agent has told.
 *
 *   node stand-in-service.mjs <folder with a folder for each version> <port>
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join, normalize } from 'node:path';
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import { EMPTY_PLAN } from '../../../shared/agent/plan.ts';
import { packPlan } from '../../../shared/agent/wire.ts';
import { LOCAL_STAGE } from '../../../shared/identity.ts';
import { AGENT, startTestBroker } from '../../support/agent/broker.ts';
import { makeTestAuthority } from '../../support/test-authority.ts';

const [, , folder = '', port = ''] = process.argv;
const authority = await makeTestAuthority();
const broker = await startTestBroker(authority.broker);
let offered = '';

async function answer(request: IncomingMessage): Promise<Buffer | string> {
  const path = normalize(request.url ?? '/');
  if (path === '/enrol') return enrol(request);
  if (path === '/said') return JSON.stringify(broker.presences);
  if (path.startsWith('/agent/')) return readFile(join(folder, offered, path.slice('/agent/'.length)));
  offered = path.slice('/plan/'.length);
  const plan = packPlan({ ...EMPTY_PLAN, update: { version: offered } });
  await broker.send('ctl', { v: PROTOCOL_VERSION, t: 'plan', revision: Date.now(), plan });
  return '{}';
}

async function enrol(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const certificate = await authority.certify(JSON.parse(text).csr, AGENT);
  const site = { agent: AGENT, stage: LOCAL_STAGE, broker: `mqtts://127.0.0.1:${broker.port}` };
  return JSON.stringify({ success: true, ...site, certificate, authority: authority.certificate });
}

createServer((request, response) => {
  answer(request).then(
    (content) => response.end(content),
    (error) => response.writeHead(404).end(String(error)),
  );
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
