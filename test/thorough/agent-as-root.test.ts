/** What root may do with the state directory of another user, and what it must not. */
import { chmod, chown, copyFile, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT } from '../../shared/format.ts';
import { AGENT_PROGRAM, startAgentProcess } from '../support/agent/agent-process.ts';
import { startTestBroker } from '../support/agent/broker.ts';
import { CODE, prepareAgentSites } from '../support/agent/enrolled-site.ts';
import { namesIn } from '../support/agent/state-names.ts';
import { folderOfEachTest } from '../support/folder-of-tests.ts';

const folder = folderOfEachTest();
const agents = await prepareAgentSites();
const isRoot = process.getuid?.() === 0;

async function enrol(state: string, url: string) {
  const enrolment = startAgentProcess(AGENT_PROGRAM, ['enrol', CODE, '--url', url], { LANREACH_AGENT_DATA: state });
  const { code: exitCode } = await enrolment.ended;
  return { exitCode, stdout: enrolment.stdout(), stderr: enrolment.stderr() };
}

const OTHER_USER = 65_534;

test.skipIf(!isRoot)(
  'root enrols, examines and uninstalls as the user to whom the state directory belongs',
  async () => {
    await using broker = await startTestBroker(agents.authority.broker);
    await using api = await agents.startApi(`mqtts://127.0.0.1:${broker.port}`);
    // As systemd keeps it for a dynamic user: in a folder that only root may pass, behind a link.
    const [real, state] = [join(folder.path, 'private', 'state'), join(folder.path, 'state')];
    await mkdir(real, { recursive: true });
    await chmod(join(folder.path, 'private'), 0o700);
    await chown(real, OTHER_USER, OTHER_USER);
    await symlink(real, state);
    // Its owner has put links there that lead to what only root may write.
    const precious = join(folder.path, 'private', 'precious');
    await writeFile(precious, 'x');
    for (const name of ['identity.json', 'identity.json.tmp']) await symlink(precious, join(real, name));
    await writeFile(join(real, 'format'), `${FORMAT}\n`);
    await chown(join(real, 'format'), OTHER_USER, OTHER_USER);
    expect(await enrol(state, api.url)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`is in ${state}.`),
    });
    for (const file of ['.', ...(await namesIn(real))])
      expect((await stat(join(real, file))).uid, file).toBe(OTHER_USER);
    expect((await stat(join(real, 'identity.json'))).mode & 0o777).toBe(0o600);

    const environment = { LANREACH_AGENT_DATA: state, LANREACH_API: 'http://127.0.0.1:1' };
    const doctor = startAgentProcess(AGENT_PROGRAM, ['doctor', '--json'], environment);
    await doctor.ended;
    const { findings } = JSON.parse(doctor.stdout()) as { findings: { check: string; state: string }[] };
    for (const check of ['state directory', 'identity', 'connection'])
      expect(findings.find((finding) => finding.check === check)).toMatchObject({ state: 'ok' });

    await chmod(folder.path, 0o755);
    await chmod(join(folder.path, 'private'), 0o755);
    const readable = join(folder.path, 'agent.mjs');
    await copyFile(AGENT_PROGRAM, readable);
    const user = { uid: OTHER_USER, gid: OTHER_USER };
    await using agent = startAgentProcess(readable, [], { LANREACH_AGENT_DATA: state }, undefined, user);
    await broker.presence('online');
    expect((await stat(join(real, 'journal.jsonl'))).uid).toBe(OTHER_USER);
    expect((await enrol(state, api.url)).stderr).toContain('Another agent is running');
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toEqual({ code: 0, signal: null });

    const uninstall = startAgentProcess(AGENT_PROGRAM, ['uninstall'], { LANREACH_AGENT_DATA: state });
    expect(await uninstall.ended, uninstall.stderr()).toEqual({ code: 0, signal: null });
    expect(await namesIn(folder.path)).toEqual(['agent.mjs', 'private']);
    expect(await readFile(precious, 'utf8')).toBe('x');
  },
);

test.skipIf(!isRoot)('root runs no agent with the state of another user', async () => {
  await using site = await agents.startSite();
  const file = join(site.state, 'identity.json');
  for (const path of [file, site.state]) {
    await chown(path, OTHER_USER, OTHER_USER);
    await using agent = startAgentProcess(AGENT_PROGRAM, ['run'], { LANREACH_AGENT_DATA: site.state });
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr()).toContain(`${path} belongs to user ${OTHER_USER} and not to root`);
    await chown(path, 0, 0);
  }
});
