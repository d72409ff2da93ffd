/** Starts the service worker, which keeps the console on this device. Browsers have one over HTTPS, and on the very host. */
import { spoken } from '../text/language.ts';

interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

/** It stands beside the page, so that it may serve it below whatever path that is. */
export function startWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const url = new URL(`sw.js?language=${spoken}`, window.location.href.split('#', 1)[0]).href;
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  // The Content-Security-Policy takes the address of a script from this policy alone.
  const policy = trustedTypes?.createPolicy('lanreach', { createScriptURL: (script) => script });
  // A browser that refuses it, such as in a private window, goes on without.
  navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url).catch(() => {});
}
