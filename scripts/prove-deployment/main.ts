/**
 * Answers what only a real account can tell, and writes a report without secrets. See "What to look at first on a real
 * account" in DEPLOY.md.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { SiteId } from '../../shared/identity.ts';
import { AFTER, cleanUp } from './after.ts';
import { openApi } from './api.ts';
import { aws } from './aws-cli.ts';
import { BEFORE } from './before.ts';
import { messageOf, type Result, runChecks } from './checks.ts';
import { report } from './report.ts';

const USAGE = `Usage:
  npm run prove-deployment -- before [--stack LanReach-prod]
  npm run prove-deployment -- after [--stack LanReach-prod] [--site <id>] [--hook-url-file <file>] [--idle <seconds>]

The AWS CLI needs credentials and a region (AWS_REGION). "before" reads the templates that "npm run synth" has written.
"after" needs LANREACH_URL and, in LANREACH_TOKEN, a token with every right; with --site, a site whose agent is connected.
It makes a site of its own and removes it, and shuts the web console for up to some minutes.
Both write a report to prove-deployment-<phase>.md, or --report <file>. Exit codes: 0 nothing failed, 1 something did, 2 wrong usage,
130 and 143 ended by SIGINT or SIGTERM, after what it had changed was undone.
`;
const IDLE_SECONDS = 300;
const POLL_MS = 2_000;

const { values, positionals } = readArguments();
const [phase] = positionals;
const { AWS_REGION: region = '', LANREACH_URL: url = '', LANREACH_TOKEN: token = '' } = process.env;
const { stack } = values;
const secrets = [token];
const show = ({ outcome, title, facts }: Result) =>
  process.stdout.write(`${outcome.padEnd(8)}${title}\n${facts.map((fact) => `        ${fact}\n`).join('')}`);

if (region === '') stop('Set AWS_REGION to the region of the stack.');
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    process.stderr.write(`${signal}: undoing what the checks have changed, which may take some minutes\n`);
    process.exitCode = 128 + constants.signals[signal];
    interruption.abort(new Error(`Interrupted by ${signal}`));
  });
}
const started = new Date();
const results = phase === 'before' ? await before() : phase === 'after' ? await after() : stop(USAGE);
const file = values.report ?? `prove-deployment-${phase}.md`;
const heading = { phase: String(phase), version: packageJson.version, at: started, region };
const text = report(heading, results, secrets, values.site ?? null);
await writeFile(file, text);
process.stdout.write(`\nThe report is in ${file}.\n`);
if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode ??= 1;

function before(): Promise<Result[]> {
  const readTemplate = async (of: string) => JSON.parse(await readFile(join('cdk.out', `${of}.template.json`), 'utf8'));
  return runChecks(BEFORE, { aws, region, stack, readTemplate }, show, interruption.signal);
}

async function after(): Promise<Result[]> {
  if (url === '' || token === '') stop('Set LANREACH_URL and LANREACH_TOKEN.');
  const hookUrl =
    values['hook-url-file'] === undefined ? null : (await readFile(values['hook-url-file'], 'utf8')).trim();
  if (hookUrl !== null) secrets.push(hookUrl);
  const means = {
    api: openApi(url, token),
    aws,
    region,
    stack,
    site: values.site ?? null,
    hookUrl,
    scratchSite: `prove-${randomBytes(4).toString('hex')}`,
    idleMs: Number(values.idle) * 1000,
    pollMs: POLL_MS,
  };
  const results = await runChecks(AFTER, means, show, interruption.signal);
  return [...results, ...(await runChecks([cleanUp(means.scratchSite)], means, show))];
}

function readArguments() {
  try {
    const options = {
      stack: { type: 'string', default: 'LanReach-prod' },
      site: { type: 'string' },
      'hook-url-file': { type: 'string' },
      idle: { type: 'string', default: String(IDLE_SECONDS) },
      report: { type: 'string' },
    } as const;
    const read = parseArgs({ options, allowPositionals: true });
    if (!/^\d{1,3}$/.test(read.values.idle)) throw new Error('--idle: expected seconds, at most 999');
    const site = SiteId.optional().safeParse(read.values.site);
    if (!site.success) throw new Error(`--site: ${site.error.issues[0]?.message}`);
    return read;
  } catch (error) {
    return stop(`${messageOf(error)}\n\n${USAGE}`);
  }
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
