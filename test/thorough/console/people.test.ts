/** People: from the provider into the console and out of it, the roles that they get, and what they let in. */
import { randomBytes } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../../local/config.ts';
import { violations } from '../../console/accessibility.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { type OidcProvider, startOidcProvider } from '../../support/oidc-provider.ts';
import { newVerifier } from '../../support/signed-in.ts';

const PROVIDER_NAME = 'Example Ltd';
const ROLES = [
  { claim: 'groups', value: 'it', role: 'admin', sites: '*' },
  { claim: 'groups', value: 'support', role: 'operator', sites: ['tag:customers'] },
  { claim: 'groups', value: 'support', role: 'viewer', sites: ['home'] },
];

let provider: OidcProvider;
afterAll(() => provider?.[Symbol.asyncDispose]());

async function start() {
  provider = await startOidcProvider({
    anna: { name: 'Anna Berger', email: 'anna@example.org', email_verified: true, groups: ['it'] },
    ben: { name: 'Ben Okafor', email: 'ben@example.org', email_verified: true, groups: ['support'] },
    carla: { name: 'Carla Neumann', groups: [] },
  });
  const { signIn } = readConfig({
    ...{ OIDC_ISSUER: provider.issuer, OIDC_NAME: PROVIDER_NAME, OIDC_SCOPES: 'openid email profile groups' },
    ...{ OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret },
    OIDC_ROLES: JSON.stringify(ROLES),
  });
  return startConsoleApi(signIn === null ? {} : { signIn });
}

describeConsole('people', start, (ui) => {
  /** A screen that is no room's own. */
  const HERE = '/matrix';
  const account = (page: Page, name: string) => page.getByRole('button', { name: `Signed in: ${name}` });

  /** At the sign-in page, by the provider's own page, and back. */
  async function signIn(page: Page, who: string): Promise<void> {
    await page.getByRole('button', { name: `Sign in with ${PROVIDER_NAME}` }).click();
    await page.getByLabel('Account').fill(who);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${ui.lanreach.url}/console/**`);
  }

  const open = async (at: string, who: string) => {
    const opened = await ui.open(at, { token: null, origins: [provider.issuer] });
    await signIn(opened.page, who);
    return opened;
  };

  test('somebody signs in at the provider, is back at the same screen, and is gone after signing out', async () => {
    const { page } = await open(HERE, 'anna');
    await page.getByRole('heading', { name: 'Site to site', level: 1 }).waitFor();
    expect(page.url()).toBe(`${ui.lanreach.url}/console/#${HERE}`);
    await account(page, 'Anna Berger').click();
    await page.getByText('Admin · all sites').waitFor();
    await page.getByText('Session expires at').waitFor();
    expect(await violations(page)).toEqual([]);
    const token = await page.evaluate<string>(`sessionStorage.getItem('lanreach.token')`);
    expect((await ui.lanreach.request('GET', '/tokens/self', { token })).status).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: `Sign in with ${PROVIDER_NAME}` }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await expect.poll(async () => (await ui.lanreach.request('GET', '/tokens/self', { token })).status).toBe(403);
    // By a token it goes on as it was, and that one stays valid.
    await page.getByText('Sign in with a token').click();
    await page.getByLabel('Token').fill(ui.lanreach.token);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Token: test' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: `Sign in with ${PROVIDER_NAME}` }).waitFor();
    expect((await ui.lanreach.request('GET', '/tokens/self')).status).toBe(200);
  });

  test('a code is of no use to another tab, and a person without a role is told whom to ask', async () => {
    const { page } = await open(HERE, 'carla');
    await page.getByText('have no role here yet').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.evaluate(`location.hash = '#/nothing'`);
    const code = randomBytes(32).toString('base64url');
    await page.goto(`${ui.lanreach.url}/docs`);
    await page.goto(`${ui.lanreach.url}/console/#/sign-in?code=${code}`);
    await page.getByText('This sign-in was started in another tab or browser.').waitFor();
    expect(page.url()).not.toContain(code);
  });

  test('an administrator gives a role for a tag, which counts at once, and shuts somebody out', async () => {
    const customer = await ui.lanreach.addSite();
    const own = await ui.lanreach.addSite();
    await ui.lanreach.request('PATCH', `/sites/${customer}`, { body: { tags: ['customers'] } });
    const ben = await open('/', 'ben');
    await account(ben.page, 'Ben Okafor').waitFor();

    const { page } = await open('/admin/people', 'anna');
    await page.getByRole('link', { name: 'Ben Okafor' }).click();
    await page.getByRole('button', { name: 'Change roles' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roles of Ben Okafor' });
    const second = dialog.getByRole('group', { name: 'Role 2' });
    await second.getByRole('combobox', { name: 'Role' }).selectOption({ label: 'Admin' });
    await second.getByRole('checkbox', { name: new RegExp(own) }).check();
    await dialog.getByRole('button', { name: 'Change roles' }).click();
    await page.getByText('Roles of Ben Okafor updated.').waitFor();
    await page.getByText('Set manually; group mappings are ignored.').waitFor();

    // What he may do is another thing at each site.
    await ben.page.reload();
    const settings = ben.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' });
    await ben.page.evaluate(`location.hash = '/sites/${own}/settings'`);
    await ben.page.getByRole('textbox', { name: 'Name' }).waitFor();
    await settings.waitFor();
    await ben.page.evaluate(`location.hash = '/sites/${customer}/tools'`);
    await ben.page.getByRole('heading', { name: 'Run', level: 1 }).waitFor();
    await expect.poll(() => settings.getAttribute('href')).toContain(`/sites/${customer}/agents`);

    await page.getByRole('button', { name: 'Disable account' }).click();
    await page.getByText('Ben Okafor can no longer use LanReach.').waitFor();
    await ben.page.reload();
    await ben.page.getByText('You were signed out').waitFor();
  });

  test('tags group sites: they are given in the settings, and the list of sites is narrowed to one', async () => {
    const sites = [await ui.lanreach.addSite(), await ui.lanreach.addSite()];
    const [site = '', other = ''] = sites;
    const { page } = await ui.open(`/sites/${site}/settings`);
    const tags = page.getByRole('region', { name: 'Tags' });
    await tags.getByRole('combobox', { name: 'Tags' }).fill('Branches');
    await page.keyboard.press('Enter');
    await tags.getByRole('button', { name: 'Remove branches' }).waitFor();
    await tags.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.evaluate(`location.hash = '/'`);
    await page.getByRole('combobox', { name: 'Tags' }).selectOption('branches');
    await expect.poll(() => page.getByRole('link', { name: other, exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: site, exact: true }).waitFor();
    expect(page.url()).toContain('tag=branches');
  });

  test('an assistant is let in by a person, for what they choose, and its token is theirs', async () => {
    const { url } = ui.lanreach;
    const redirect = `${url}/docs`;
    const registration = { token: null, body: { client_name: 'Claude', redirect_uris: [redirect] } };
    const registered = await ui.lanreach.request('POST', '/oauth/register', registration);
    const { client_id: clientId } = registered.json as { client_id: string };
    const { verifier, challenge } = newVerifier();
    const wanted = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirect, state: 'of the assistant' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
      scope: 'devices:read devices:write nettools:run',
    });
    const asked = await fetch(`${url}/oauth/authorize?${wanted}`, { redirect: 'manual' });
    const at = new URL(asked.headers.get('location') ?? '', url).hash.slice(1);
    expect(at).toMatch(/^\/connect\/[0-9a-f]{32}$/);

    // Whoever is not signed in comes to the same question afterwards. What they may do is known last.
    const { page } = await ui.open(at, { token: null, origins: [provider.issuer] });
    const slowly = async (route: Route) => {
      await page.getByText('The response goes to 127.0.0.1').waitFor();
      await route.continue();
    };
    await page.route('**/people/self', slowly, { times: 1 });
    await signIn(page, 'anna');
    await page.getByRole('heading', { name: 'Connect Claude' }).waitFor();
    await page.getByText('The response goes to 127.0.0.1').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'Change, import and delete devices' }).uncheck();
    await page.getByRole('radio', { name: 'Selected sites' }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Choose at least one site or tag.').waitFor();
    await page.getByRole('checkbox', { name: /^Home/ }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/\/docs\?.*code=/);
    const answer = new URL(page.url()).searchParams;
    expect(answer.get('state')).toBe('of the assistant');
    const exchanged = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', code: answer.get('code') ?? '', code_verifier: verifier },
        ...{ client_id: clientId, redirect_uri: redirect, resource: `${url}/mcp` },
      }),
    });
    expect(exchanged.status).toBe(200);
    const { tokens } = (await ui.lanreach.request('GET', '/tokens')).json as {
      tokens: { name: string; purpose: string; scopes: string[]; sites: unknown; person: string | null }[];
    };
    expect(tokens.find(({ purpose }) => purpose === 'mcp')).toMatchObject({
      ...{ name: 'Claude', scopes: ['devices:read', 'nettools:run'], sites: ['home'] },
      person: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    // The same question is answered only once.
    await page.goto(`${url}/console/#${at}`);
    await page.getByText('Request not found').waitFor();
  });
});
