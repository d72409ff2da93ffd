import { generateKeyPairSync, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PERMIT_HEADER, packageText } from '../../shared/agent/proof.ts';
import { makeRelease } from '../../test/support/agent/made-up-release.ts';
import { listenOnLoopback } from '../../test/support/loopback.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { fetchRelease } from './fetch-release.ts';
import { ReleaseRefused } from './verify-release.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const AGENT = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const IDENTITY = { agent: 'home:attic', key: AGENT.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
const RELEASE = makeRelease(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), '// newer', '1.2.0');
const PACKAGE = 'packages/lanreach-agent-program-1.2.0.mjs.gz';

const folder = makeTestFolder();
let keyFile: string;
beforeAll(async () => {
  keyFile = join(folder.path, 'release-key.pem');
  await writeFile(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
});
afterAll(() => folder.remove());

type Answer = (path: string, response: ServerResponse, port: number) => void;

/** Fetches from a server that answers as the API does, but for some paths. */
async function fetchFrom(others: Record<string, Answer>, signal = new AbortController().signal, key = keyFile) {
  const requested: string[] = [];
  const permits: Record<string, string> = {};
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/prefix\/agent\//, '');
    requested.push(path);
    const permit = request.headers[PERMIT_HEADER.toLowerCase()];
    if (permit !== undefined) permits[path] = String(permit);
    const content = RELEASE.get(path);
    const answer = others[path];
    if (answer !== undefined) answer(path, response, port);
    else response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const port = await listenOnLoopback(server);
  try {
    const place = { api: `http://127.0.0.1:${port}/prefix/`, keyFile: key, identity: IDENTITY };
    const { code } = await fetchRelease(place, { version: '1.2.0', running: '1.1.0', node: '22.0.0' }, signal);
    return { code: code.toString(), requested, permits };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const redirect =
  (to: string): Answer =>
  (_, response, port) =>
    void response.writeHead(302, { location: to.replace('PORT', String(port)) }).end();

test('description, signature and program, one after the other', async () => {
  const { permits, ...fetched } = await fetchFrom({});
  expect(fetched).toEqual({ code: '// newer', requested: ['release.json', 'release.json.sig', PACKAGE] });
  const { [PACKAGE]: permit = '', ...others } = permits;
  const [agent = '', at, signature = ''] = permit.split(' ');
  const text = Buffer.from(packageText(agent, Number(at), PACKAGE.replace('packages/', '')));
  expect(verify('sha256', text, AGENT.publicKey, Buffer.from(signature, 'base64'))).toBe(true);
  expect([agent, others]).toEqual(['home:attic', {}]);
});

test('without a release key in its package, an agent fetches nothing', async () => {
  const fetched = fetchFrom({}, undefined, join(folder.path, 'none.pem'));
  await expect(fetched).rejects.toThrow(
    new ReleaseRefused('the package of this agent was built without a release key'),
  );
});

test('a package may be elsewhere on the same host, three redirects away', async () => {
  const hops = {
    [PACKAGE]: redirect('/1'),
    '/1': redirect('2'),
    '/2': redirect(`http://127.0.0.1:PORT/bucket?X=secret`),
  };
  const bucket: Answer = (_, response) => void response.end(RELEASE.get(PACKAGE));
  const { code, permits } = await fetchFrom({ ...hops, '/bucket?X=secret': bucket });
  expect([code, Object.keys(permits)]).toEqual(['// newer', [PACKAGE]]);
  await expect(fetchFrom({ ...hops, '/bucket?X=secret': redirect('/3') })).rejects.toThrow('more than 3 times');
});

test('no redirect leads to another host without TLS, to a file, or away from TLS', async () => {
  for (const to of ['http://localhost:PORT/x', 'http://192.168.1.1/reboot', 'file:///etc/passwd', 'data:,x', 'http://'])
    await expect(fetchFrom({ [PACKAGE]: redirect(to) }), to).rejects.toThrow('does not follow');
  // Followed, and no server answers there.
  await expect(fetchFrom({ [PACKAGE]: redirect('https://127.0.0.1:1/x') })).rejects.toThrow('fetch failed');
});

test('nothing is read beyond what it may be long, however it is sent', async () => {
  const endless: Answer = (_, response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024, ' ')), 1);
    response.once('close', () => clearInterval(timer));
  };
  for (const path of ['release.json', 'release.json.sig', PACKAGE])
    await expect(fetchFrom({ [path]: endless }), path).rejects.toThrow(ReleaseRefused);
});

test('a failed response may be retried; a wrong one is refused; a wait ends with its signal', async () => {
  const failing: Answer = (_, response) => void response.writeHead(503).end('later');
  await expect(fetchFrom({ 'release.json': failing })).rejects.toThrow('/release.json answered with status 503');
  const cut: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '500' });
    response.write('half');
    setTimeout(() => response.destroy(), 10);
  };
  await expect(fetchFrom({ [PACKAGE]: cut })).rejects.not.toThrow(ReleaseRefused);
  const other: Answer = (_, response) => void response.end(RELEASE.get('release.json'));
  await expect(fetchFrom({ [PACKAGE]: other })).rejects.toThrow(ReleaseRefused);
  const stopping = new AbortController();
  const silent: Answer = () => stopping.abort();
  await expect(fetchFrom({ [PACKAGE]: silent }, stopping.signal)).rejects.toThrow('aborted');
});
