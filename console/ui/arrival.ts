/**
 * When another screen opens, the focus moves to its heading, so that a screen reader says it and the next Tab is inside,
 * and the page scrolls to its top, or on the way back to the last position.
 */
const scrolled = new Map<string, number>();
let shown = '';
/** The scroll position of the opening screen; null once it is open. */
let top: number | null = null;

/** Called once, after the token of a link has left the address. */
export function listenForArrivals(): void {
  shown = address();
  // Comes before the browser restores the scroll position, also for a typed address.
  window.addEventListener('popstate', () => leave(true));
  // A link of the console causes no popstate; its event is made in hash-location.ts.
  window.addEventListener('hashchange', ({ isTrusted }) => {
    if (!isTrusted) leave(false);
  });
}

/** @param heading of the screen that has opened */
export function arrive(heading: HTMLElement | null): void {
  if (top === null) return;
  window.scrollTo({ top, behavior: 'instant' });
  top = null;
  // The arrow keys keep working in the choice of the site.
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
