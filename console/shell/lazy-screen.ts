/**
 * Screens that are loaded when they are first opened, or before, when the browser has nothing else to do; also while the API
 * cannot be reached and after it was upgraded: the files of the version that this tab runs are then gone.
 */
import { createElement, type FunctionComponent, type ReactNode, lazy as reactLazy, useState } from 'react';
import { reportReachable } from '../api/connection.ts';
import { startWorker } from '../offline/start-worker.ts';

/** Pauses before the page is asked for again. */
const TRY_MS = [1_000, 2_000, 5_000];
const TIMEOUT_MS = 15_000;
/** How long the first screen has for itself. */
const CALM_MS = 1_500;

/** Each loads one part, and says whether it could. */
const preloads: (() => Promise<boolean>)[] = [];

/** As React's own `lazy`; what {@link preloadScreens} has loaded is shown without a pause. */
export function lazy<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  let hasFailed = false;
  const loadOnce = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Lazy = reactLazy(() => loadOnce().catch((error: unknown) => loadPageAgain(error, hasFailed)));
  preloads.push(async () => {
    await loadOnce().catch(() => {
      hasFailed = true;
    });
    return !hasFailed;
  });
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each screen, when the module is loaded
  return function Screen(props: Props): ReactNode {
    // The same one as long as it is shown: another one would begin anew.
    const [Shown] = useState<FunctionComponent<Props>>(() => loaded ?? (Lazy as unknown as FunctionComponent<Props>));
    return createElement(Shown, props);
  };
}

/**
 * Loads every part once the browser has nothing else to do, so that it is there at once, and also while the API cannot be
 * reached. Not in a browser that was asked to save data.
 */
export function preloadScreens(): void {
  const { connection } = window.navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData === true) return;
  const left = preloads.splice(0);
  // What has been loaded by then is not loaded for the worker again.
  window.setTimeout(() => void loadAll(left).then(startWorker), CALM_MS);
}

async function loadAll(parts: readonly (() => Promise<boolean>)[]): Promise<void> {
  for (const preload of parts) {
    await idle();
    // What stands in the way of one stands in that of the others.
    if (!(await preload())) return;
  }
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) window.requestIdleCallback(resolve, { timeout: CALM_MS });
    else globalThis.setTimeout(resolve);
  });
}

/**
 * Loads the page again, at the same address, when that can help: when another version is served now, or when the server
 * could not be reached, because browsers remember that a module could not be loaded. It cannot help when the very version
 * that runs here is served: then the screen is broken, and the error is thrown.
 * @param hasFailed whether the browser may only remember it, from when it was loaded in advance
 */
async function loadPageAgain(error: unknown, hasFailed: boolean): Promise<never> {
  for (let tries = 0; ; tries++) {
    const page = await servedPage();
    reportReachable(page !== null);
    if (page !== null && tries === 0 && !hasFailed && isThisVersion(page)) throw error;
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
