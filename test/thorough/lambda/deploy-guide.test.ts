/** The commands of DEPLOY.md and of its pages in one shell; the AWS CLI itself checks each call by its models. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runToEnd } from '../../../local/child-process.ts';
import { startCloudAgent } from '../../lambda/agents.ts';
import { type Cloud, startCloud } from '../../lambda/cloud.ts';
import { ROOT, runtime } from '../../lambda/needed-runtime.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { makeTestFolder, type TestFolder } from '../../support/test-folder.ts';

const SITE = 'cabin';
const REGION = 'us-east-1';
/** What stands for the reader's own values. */
const OWN_VALUES: Readonly<Record<string, string>> = {
  '<output ReleasesBucket>': 'lanreach-prod-releases',
  '<output TableName>': 'LanReach-prod-Table',
  '<the ARN>': `arn:aws:dynamodb:${REGION}:123456789012:table/lanreach-prod-restored/stream/2026-01-01T00:00:00.000`,
  '<its ARN>': `arn:aws:dynamodb:${REGION}:123456789012:table/LanReach-prod-Table`,
  '<bucket>': 'lanreach-move',
  '<account>': '123456789012',
};
const PAGES = ['DEPLOY.md', 'docs/deploy-from-github.md', 'docs/restore-cloud.md'];
const BLOCKS = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
    Object.entries(OWN_VALUES).reduce((text, [name, value]) => text.replaceAll(name, value), block),
  ),
);

describe.skipIf(runtime === null)('DEPLOY.md', () => {
  let cloud: Cloud;
  let folder: TestFolder;
  let agent: AsyncDisposable | undefined;
  /** Takes every call: the AWS CLI has checked it by then. What waits for a table hears that it is there. */
  const aws = createServer(async (request, response) => {
    const [, action = 'List'] = /\bAction=(\w+)/.exec(await text(request)) ?? [];
    const speaksXml = /\/(?:s3|iam)\/aws4_request/.test(request.headers.authorization ?? '');
    response.end(speaksXml ? `<Answer><${action}Result /></Answer>` : '{"Table":{"TableStatus":"ACTIVE"}}');
  });
  let endpoint: string;

  beforeAll(async () => {
    cloud = await startCloud();
    folder = makeTestFolder();
    endpoint = `http://127.0.0.1:${await listenOnLoopback(aws)}`;
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    aws.closeAllConnections();
    aws.close();
    await folder?.remove();
    await cloud?.[Symbol.asyncDispose]();
  });

  /** Runs blocks in one shell that ends at the first failure. @returns what they print, and the commands not run here */
  async function run(blocks: readonly string[]): Promise<{ output: string; recorded: string[] }> {
    const record = join(folder.path, 'recorded');
    await writeFile(record, '');
    const script = [
      `set -euo pipefail; cd '${folder.path}'`,
      `note() { echo "$@" >> '${record}'; }`,
      'npm() { note npm "$@"; }; git() { note git "$@"; }; curl() { note curl "$@"; }; sh() { note sh "$@"; }',
      `npx() { if [ "$1" = lanreach ]; then shift; '${process.execPath}' '${join(ROOT, 'dist', 'cli.js')}' "$@"; else note "$@"; fi; }`,
      `aws() { command aws "$@" --endpoint-url ${endpoint}; }`,
      ...blocks,
    ].join('\n');
    const lines: string[] = [];
    const env = {
      ...{ PATH: process.env.PATH, HOME: folder.path, LANREACH_URL: cloud.url, LANREACH_TOKEN: cloud.token },
      ...{ AWS_REGION: REGION, AWS_DEFAULT_REGION: REGION, AWS_PAGER: '' },
      ...{ AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example' },
    };
    const onLine = (line: string) => void lines.push(line);
    const { code } = await runToEnd(['bash', '-c', script], { env, timeoutMs: 200_000, onLine });
    expect(code, lines.join('\n')).toBe(0);
    return { output: lines.join('\n'), recorded: readFileSync(record, 'utf8').trim().split('\n') };
  }

  test('every command runs, in the order of the page', async () => {
    await writeFile(join(folder.path, 'agent.pem'), cloud.brokerAuthority);
    await mkdir(join(folder.path, '.config', 'lanreach'), { recursive: true });
    await writeFile(join(folder.path, '.config', 'lanreach', `LanReach-prod.${REGION}.token`), cloud.token);
    await writeFile(
      join(folder.path, 'import.json'),
      JSON.stringify({
        S3BucketSource: { S3Bucket: 'lanreach-move' },
        InputFormat: 'DYNAMODB_JSON',
        TableCreationParameters: {
          TableName: 'lanreach-prod-moved',
          AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
          KeySchema: ['pk', 'sk'].map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
        },
      }),
    );
    const upTo = BLOCKS.findIndex((block) => block.includes('agent enrol')) + 1;
    expect(upTo).toBeGreaterThan(0);
    // The address is that of the output before; the scan of the page goes to the host of these tests.
    const own = (block: string) =>
      block
        .replace(/^export LANREACH_URL=.*$/m, `export LANREACH_URL=${cloud.url}`)
        .replaceAll('192.168.1.0/24', '127.0.0.1');
    const first = await run(BLOCKS.slice(0, upTo).map(own));
    expect(first.output).toMatch(/^lr_[0-9a-f]{16}\./m);
    expect(first.output).toMatch(/^lanreach-agent enrol lre_\S+ --url /m); // Of an address that only this host has.
    agent = await startCloudAgent(cloud, SITE, 'main');
    const second = await run(BLOCKS.slice(upTo).map(own));
    expect(second.output).toMatch(/cabin +main|cabin:main/);

    const recorded = [...first.recorded, ...second.recorded];
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const [, script = ''] of recorded.map((one) => /^npm run (\S+)/.exec(one)).filter((found) => found !== null))
      expect(Object.keys(scripts)).toContain(script);
    const commands = recorded.filter((one) => one.startsWith('npm run cloud'));
    expect(commands).toEqual(['up', 'up', 'down'].map((command) => `npm run cloud -- ${command}`));
  });
});
