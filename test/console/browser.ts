/** A browser for the tests of the console: Chromium, which may reach nothing but this machine. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from '../../local/programs.ts';
import { BROWSER_PACKAGES, BROWSER_PROGRAMS, OTHER_BROWSER } from './packages.ts';

/** What a browser does by itself, such as looking for updates, would leave this machine. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // Pages of one profile share a process: its first page is half of what the others cost.
  '--process-per-site',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
/** A busy machine draws slowly. */
const PATIENCE_MS = 60_000;

export interface ConsoleBrowser {
  /** A profile without traces of other pages, in which a tab shows the console, signed in with the token; without one, at the sign-in page. */
  open(options: OpenOptions): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The base URL of the API. */
  url: string;
  /** Null or none: at the sign-in page. */
  token?: string | null;
  /** The screen, such as `/sites/home/devices`. */
  at?: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** The language of the browser, which the console follows. */
  locale?: string;
  /** Whether every screen is loaded in advance, as browsers do. It costs a second of a processor for each page. */
  loadsAhead?: boolean;
  /** Whether it has a service worker, as browsers do: what that asks for, no test can stand in the way of. */
  hasWorker?: boolean;
  /** Other hosts to which it may go, such as that of an identity provider. */
  origins?: readonly string[];
  /** Lets the test move the time of the page on: see {@link nextPoll}. */
  isTimeMovable?: boolean;
}

export interface ConsolePage {
  page: Page;
  /** May be that of earlier pages and of later ones: what is set here beside permissions stays. */
  context: BrowserContext;
  /** What the page did that it must not: errors of scripts, of the Content-Security-Policy, requests to other hosts. */
  readonly offences: string[];
  /** Another tab of the same profile, which has to sign in for itself. */
  openTab(options: OpenOptions): Promise<Page>;
  /** Closes all tabs, and forgets what they have kept. */
  close(): Promise<void>;
}

/** Why the console cannot be tested on this machine; null when it can. Under `CI=true` always null: there it must fail. */
export function browserSupport(): string | null {
  if (process.env.CI === 'true' || executable() !== null) return null;
  return `the console is tested with ${BROWSER_PROGRAMS.join(', ')} or ${OTHER_BROWSER}: apt install ${BROWSER_PACKAGES.join(' ')}`;
}

function executable(): string | null {
  const find = (name: string) => findProgram(name, process.env.PATH ?? '');
  return BROWSER_PROGRAMS.map(find).find((file) => file !== null) ?? find(OTHER_BROWSER);
}

export async function startBrowser(): Promise<ConsoleBrowser> {
  const executablePath = executable();
  if (executablePath === null) throw new Error(`No browser: apt install ${BROWSER_PACKAGES.join(' ')}`);
  const browser: Browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: PATIENCE_MS });

  /** Unused profiles by their settings: what was loaded for one page serves the next. A first tab keeps the process. */
  const idle = new Map<string, { context: BrowserContext; firstTab: Page }>();

  async function openProfile({ locale = 'en-GB', loadsAhead, hasWorker, isTimeMovable }: OpenOptions) {
    const context = await browser.newContext({
      locale,
      timezoneId: 'Europe/Berlin',
      acceptDownloads: true,
      serviceWorkers: hasWorker ? 'allow' : 'block',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (!loadsAhead) {
      await context.addInitScript(`Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`);
    }
    if (isTimeMovable) await context.clock.install();
    return context;
  }

  async function open(options: OpenOptions): Promise<ConsolePage> {
    const { url, width = 1280, height = 800, theme = 'light' } = options;
    const settings = `${options.locale} ${options.loadsAhead}`;
    const isReusable = !options.hasWorker && !options.isTimeMovable;
    const known = isReusable ? idle.get(settings) : undefined;
    if (known !== undefined) idle.delete(settings);
    const context = known?.context ?? (await openProfile(options));
    const offences: string[] = [];
    const openTab = async (wanted: OpenOptions) => {
      const page = await context.newPage();
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      watch(page, [wanted.url, ...(wanted.origins ?? [])], offences);
      await page.goto(linkTo(wanted));
      // The page is loaded before the console runs: it begins with loading the messages of its language.
      await page.locator('#app > :not(noscript)').first().waitFor({ state: 'attached' });
      return page;
    };
    async function close(): Promise<void> {
      if (!isReusable || idle.has(settings)) return context.close();
      const tabs = context.pages().filter((tab) => tab !== known?.firstTab);
      const firstTab = known?.firstTab ?? (await context.newPage());
      // Of a system that a test has ended, nothing is worth keeping.
      if (known === undefined && !(await isThere(firstTab, url))) return context.close();
      await Promise.all(tabs.map((tab) => tab.close()));
      await Promise.all([context.clearPermissions(), context.clearCookies()]);
      const devtools = await context.newCDPSession(firstTab);
      await devtools.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' });
      await devtools.detach();
      idle.set(settings, { context, firstTab });
    }
    return { page: await openTab(options), context, offences, openTab, close };
  }

  return { open, close: () => browser.close() };
}

function isThere(tab: Page, url: string): Promise<boolean> {
  return tab.goto(`${url}/health`).then(
    () => true,
    () => false,
  );
}

/** More than the longest pause of `POLL_MS.usual` in console/api/queries.ts, which differs by a tenth between pages. */
const POLL_PAUSE_MS = 17_000;

/** Moves the page's clock past its next poll, which comes every 15 s. The page has to be opened with `isTimeMovable`. */
export function nextPoll(page: Page): Promise<void> {
  return page.clock.fastForward(POLL_PAUSE_MS);
}

function linkTo({ url, token = null, at = '/' }: OpenOptions): string {
  if (token === null) return `${url}/console/#${at}`;
  return `${url}/console/#${new URLSearchParams({ token, to: at })}`;
}

function watch(page: Page, urls: readonly string[], offences: string[]): void {
  const origins = urls.map((url) => new URL(url).origin);
  page.on('pageerror', (error) => offences.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // A refusal of the API is part of its service; the browser calls every status above 399 an error.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) offences.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const target = request.url();
    const isAllowed = origins.some((origin) => target.startsWith(`${origin}/`));
    if (!isAllowed && !/^(?:data|blob):/.test(target)) offences.push(`request: ${target}`);
  });
}
