/** Enrolled agents as processes of their own, with an API that knows one enrolment code, and a real broker. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type AgentId, LOCAL_STAGE } from '../../../shared/identity.ts';
import { closeServer, listenOnLoopback } from '../loopback.ts';
import { makeTestAuthority } from '../test-authority.ts';
import { makeTestFolder } from '../test-folder.ts';
import { AGENT_PROGRAM, startAgentProcess } from './agent-process.ts';
import { AGENT, startTestBroker } from './broker.ts';

export const CODE = 'lre_the-code';

export type AgentSites = Awaited<ReturnType<typeof prepareAgentSites>>;

/** The authority of the brokers and agents of a test file, and what is made with it. */
export async function prepareAgentSites() {
  const authority = await makeTestAuthority();

  async function startApi(broker: string, agent: AgentId = AGENT) {
    let requests = 0;
    const server = createServer(async (request, response) => {
      requests++;
      let text = '';
      for await (const chunk of request) text += chunk;
      const { code, csr } = JSON.parse(text);
      const known = request.method === 'POST' && request.url === '/api/enrol' && code === CODE;
      const body = known ? await issue(csr, agent, broker) : REFUSAL;
      response.writeHead(known ? 201 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const port = await listenOnLoopback(server);
    return {
      url: `http://127.0.0.1:${port}/api`,
      requests: () => requests,
      [Symbol.asyncDispose]: () => closeServer(server),
    };
  }

  async function issue(csr: string, agent: AgentId, broker: string) {
    const certificate = await authority.certify(csr, agent);
    return { success: true, agent, stage: LOCAL_STAGE, certificate, authority: authority.certificate, broker };
  }

  /** An enrolled agent's state directory and its broker. */
  async function startSite() {
    const folder = makeTestFolder();
    const broker = await startTestBroker(authority.broker);
    const state = join(folder.path, 'state');
    await using api = await startApi(`mqtts://127.0.0.1:${broker.port}`);
    const data = { LANREACH_AGENT_DATA: state };
    const enrolment = startAgentProcess(AGENT_PROGRAM, ['enrol', CODE, '--url', api.url], data);
    if ((await enrolment.ended).code !== 0) throw new Error(enrolment.stderr());
    return {
      broker,
      state,
      /** What the enrolment has printed. */
      stdout: enrolment.stdout(),
      start: (environment: Record<string, string> = {}) =>
        startAgentProcess(AGENT_PROGRAM, [], { ...data, LANREACH_LOG_LEVEL: 'debug', ...environment }),
      async [Symbol.asyncDispose]() {
        await broker[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  return { authority, startApi, startSite };
}

const REFUSAL = {
  ...{ success: false, error: 'Forbidden', message: 'The enrolment code is unknown, used or expired' },
  ...{ code: 'enrolment_refused', requestId: 'r-1' },
};
