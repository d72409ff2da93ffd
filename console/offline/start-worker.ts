/** Starts the service worker, which keeps the console on this device. Browsers allow one over HTTPS and on localhost. */
import { spoken } from '../text/language.ts';

interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

/** The worker is beside the page, so that its scope is the path of the page. */
export function startWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  const url = new URL(`sw.js?language=${spoken}`, window.location.href.split('#', 1)[0]).href;
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  // The Content-Security-Policy accepts the URL of a script from this policy only.
  const policy = trustedTypes?.createPolicy('lanreach', { createScriptURL: (script) => script });
  // Some browsers reject it in a private window.
  navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url).catch(() => {});
}
