/**
 * Loads screens when they are first opened, or earlier in idle time. Also handles an unreachable API, and an upgrade, after
 * which the files of the version that this tab runs are gone.
 */
import { createElement, type FunctionComponent, type ReactNode, lazy as reactLazy, Suspense, useState } from 'react';
import { currentConnection, reportReachable } from '../api/connection.ts';
import { startWorker } from '../offline/start-worker.ts';

/** Pauses before the page is requested again. */
const TRY_MS = [1_000, 2_000, 5_000];
const TIMEOUT_MS = 15_000;
/** Before it, the first screen has the network for itself. */
const CALM_MS = 1_500;

/** Each loads one part, and returns whether that succeeded. */
const preloads: (() => Promise<boolean>)[] = [];

/** As React's own `lazy`, but parts that {@link preloadScreens} has loaded are shown without a pause. */
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
    // The same one as long as it is mounted: another one would lose its state.
    const [Shown] = useState<FunctionComponent<Props>>(() => loaded ?? (Lazy as unknown as FunctionComponent<Props>));
    return createElement(Shown, props);
  };
}

/** A part of a screen, which shows nothing until it is loaded. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): FunctionComponent<Props> {
  const Part = lazy(load);
  return (props) => createElement(Suspense, null, createElement(Part, props));
}

/** Loads every part in idle time, so that it opens at once, even offline. Not in a browser that saves data. */
export function preloadScreens(): void {
  const { connection } = window.navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData === true) return;
  const left = preloads.splice(0);
  // After the parts: the worker takes those that are loaded from the browser's cache.
  window.setTimeout(() => void loadAll(left).then(startWorker), CALM_MS);
}

async function loadAll(parts: readonly (() => Promise<boolean>)[]): Promise<void> {
  for (const preload of parts) {
    await idle();
    // The cause of one failure holds for the others.
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
 * Reloads the page at the same address where that can help: when the server has another version, or was unreachable, because
 * browsers remember that a module failed to load. When the server has the version that runs here, the screen is broken.
 * @param hasFailed whether the failure may be a remembered one of preloading
 * @throws the error, when the screen is broken
 */
async function loadPageAgain(error: unknown, hasFailed: boolean): Promise<never> {
  let wasUnreachable = hasFailed;
  for (let tries = 0; ; tries++) {
    const page = await servedPage();
    // Another request may have found so while the page was on its way.
    wasUnreachable ||= page === null || !currentConnection().isReachable;
    reportReachable(page !== null);
    if (page !== null && !wasUnreachable && isThisVersion(page)) throw error;
    if (page !== null) {
      window.location.reload();
      return new Promise(() => {}); // Until the page is gone.
    }
    const pause = TRY_MS[Math.min(tries, TRY_MS.length - 1)] ?? 0;
    await new Promise((resolve) => window.setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** Null when it cannot be fetched. */
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
