/**
 * What happens when another screen is opened: the focus goes to its heading, so that it is read out and the next Tab is
 * inside of it, and the page is scrolled to its top, or to where it was when a person goes back.
 */
const scrolled = new Map<string, number>();
let shown = '';
/** Where the screen that is being opened is to be scrolled to; null once it is open. */
let top: number | null = null;

/** Called once, when the token of a link is no longer in the address. */
export function listenForArrivals(): void {
  shown = address();
  // Comes before the browser scrolls by itself, also when the address is typed.
  window.addEventListener('popstate', () => leave(true));
  // A link of the console causes no popstate; its event is made in hash-location.ts.
  window.addEventListener('hashchange', ({ isTrusted }) => {
    if (!isTrusted) leave(false);
  });
}

/** The heading of a screen has appeared. */
export function arrive(heading: HTMLElement | null): void {
  if (top === null) return;
  window.scrollTo({ top, behavior: 'instant' });
  top = null;
  // A person who chooses a site with the arrow keys goes on choosing.
  if (heading === null || document.activeElement instanceof HTMLSelectElement) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function leave(isByHistory: boolean): void {
  if (address() === shown) return; // Another query of the same screen.
  scrolled.set(shown, window.scrollY);
  shown = address();
  top = isByHistory ? (scrolled.get(shown) ?? 0) : 0;
}

function address(): string {
  return window.location.hash.split('?', 1)[0] ?? '';
}
