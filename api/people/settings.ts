/** How people sign in here, as an operator sets it: the same texts on one machine and for a deployment. */
import * as z from 'zod';

/** Whether what is sent there stays on this host, and so needs no TLS. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

const ISSUER = 'expected the issuer as the provider names it, such as https://login.example.org/realms/office';
/** With TLS, but on this host. Without what the library would take for the address of the metadata themselves. */
export const Issuer = z.string().refine(
  (text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    const isPlain =
      url.search === '' && url.hash === '' && url.username === '' && !url.pathname.includes('/.well-known/');
    return isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)));
  },
  { error: ISSUER },
);
