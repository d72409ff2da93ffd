/**
 * Screens that are loaded when they are first opened, also while the API cannot be reached and after it was upgraded: the
 * files of the version that this tab runs are then gone.
 */
import { type ComponentType, type LazyExoticComponent, lazy as reactLazy } from 'react';
import { reportReachable } from '../api/connection.ts';

/** Pauses before the page is asked for again. */
const TRY_MS = [1_000, 2_000, 5_000];
const TIMEOUT_MS = 15_000;

/** As React's own `lazy`. */
export function lazy<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return reactLazy(() => load().catch(loadPageAgain));
}

/**
 * Loads the page again, at the same address, when that can help: when another version is served now, or when the server
 * could not be reached, because browsers remember that a module could not be loaded. It cannot help when the very version
 * that runs here is served: then the screen is broken, and the error is thrown.
 */
async function loadPageAgain(error: unknown): Promise<never> {
  for (let tries = 0; ; tries++) {
    const page = await servedPage();
    reportReachable(page !== null);
    if (page !== null && tries === 0 && isThisVersion(page)) throw error;
    if (page !== null) {
      window.location.reload();
      return new Promise(() => {}); // Nothing is shown in the moment that is left.
    }
    const pause = TRY_MS[Math.min(tries, TRY_MS.length - 1)] ?? 0;
    await new Promise((resolve) => window.setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** Null when it cannot be had. */
async function servedPage(): Promise<string | null> {
  try {
    const page = window.location.href.split('#', 1)[0] ?? '';
    const response = await fetch(page, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function isThisVersion(page: string): boolean {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src') ?? '';
  return page.includes(`"${script}"`);
}
