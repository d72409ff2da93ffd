/** Addresses of e-mail, as they stand in the `mailto:` URL of a hook and in the settings of the operator. */

const MAX_CHARACTERS = 254;
/** Without quotes, `%` and `!`, by which old servers relay to another recipient. */
const LOCAL_PART = /^\w(?:[\w.+='~&-]{0,62}[\w+=~-])?$/;
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const SCHEME = 'mailto:';

export const MAIL_ADDRESS_EXPECTED = 'expected one e-mail address, such as me@example.org';

/** One address, with its domain in ASCII and lower case; null for everything else, such as two addresses, or one with a name. */
export function parseMailAddress(text: string): string | null {
  const [local = '', domain = '', ...others] = text.split('@');
  const isLocal = LOCAL_PART.test(local) && !local.includes('..');
  const ascii = asciiOf(domain);
  const address = `${local}@${ascii}`;
  return isLocal && DOMAIN.test(ascii) && others.length === 0 && address.length <= MAX_CHARACTERS ? address : null;
}

function asciiOf(domain: string): string {
  // Browsers and Node.js convert names as IDNA says; only letters may reach them, because a URL has more parts.
  const isForeign = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && /[^\0-\x7f]/.test(domain);
  const url = `http://${domain}`;
  return isForeign && URL.canParse(url) ? new URL(url).hostname : domain.toLowerCase();
}

/** The normalized `mailto:` URL; null unless the text is one with exactly one address. */
export function parseMailto(text: string): string | null {
  const address = isMailto(text) ? parseMailAddress(text.slice(SCHEME.length)) : null;
  return address === null ? null : SCHEME + address;
}

/** The address of a normalized URL; null for one of another scheme. */
export const addressOf = (url: string): string | null => (isMailto(url) ? url.slice(SCHEME.length) : null);

export const mailtoOf = (address: string): string => SCHEME + address.trim();

export const isMailto = (text: string): boolean => text.slice(0, SCHEME.length).toLowerCase() === SCHEME;
