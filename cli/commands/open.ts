/** `lanreach open`: the web console in the browser, signed in. */
import { consoleUrl, signInLink } from '../../shared/console-link.ts';
import { type Browser, BrowserError, PAGE_KEPT_MS, showPage } from '../client/browser.ts';
import { type AccessOptions, browserOf, readAccess } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { redirectPage } from '../client/redirect-page.ts';
import { openOutput } from '../client/session.ts';
import { checkToken } from '../client/token-check.ts';
import { worldOf } from '../client/world.ts';
import type { Command } from '../command.ts';

const KEPT_SECONDS = PAGE_KEPT_MS / 1000;

const HELP_AFTER = `
The token is in no argument: the browser gets a file of your home that only you can read, and that is removed after
${KEPT_SECONDS} s, or at once by Ctrl-C. Until then this command waits.

The link that --print shows contains the token, whose rights everybody has who sees it. It is printed wherever standard
output leads, so that it can be passed on: lanreach open --print | qrencode -t utf8`;

interface OpenOptions {
  site?: string;
  print?: boolean;
}

export function addOpenCommand(own: Command): void {
  own
    .withSite('show the devices of this site; default: the first page of the console')
    .option('--print', 'print the link that signs in, instead of opening it; it contains the token')
    .addHelpText('after', HELP_AFTER)
    .action(async ({ site, print = false }: OpenOptions, command: Command) => {
      const { env } = worldOf(command);
      const access = readAccess(command.optsWithGlobals<AccessOptions>(), env);
      const { show, note } = openOutput(command);
      await checkToken(access, site);
      const link = signInLink(access.url, access.token, site);
      if (print) return show({ link }, () => `${link}\n`);
      const browser = browserOf(env);
      if (browser === null) throw notOpened(access.url, 'there is no screen (DISPLAY and WAYLAND_DISPLAY are not set)');
      note(
        `Opening ${consoleUrl(access.url)} in the browser. The file that signs it in is removed after ` +
          `${KEPT_SECONDS} s, or by Ctrl-C.`,
      );
      await untilRemoved(link, browser).catch((error: unknown) => {
        throw error instanceof BrowserError ? notOpened(access.url, error.message) : error;
      });
    });
}

async function untilRemoved(link: string, browser: Browser): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const timer = setTimeout(end, PAGE_KEPT_MS);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  try {
    await showPage(redirectPage(link), browser, ended.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, end);
  }
}

function notOpened(url: string, reason: string): Failure {
  return new Failure(
    'failure',
    `The browser cannot be opened: ${reason}. Open ${consoleUrl(url)} yourself and paste the token there, or repeat this ` +
      'with --print for a link that signs in',
  );
}
