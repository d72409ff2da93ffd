/**
 * What happens when another screen is opened: the focus goes to its heading, so that it is read out and the next Tab is
 * inside of it, and the page is scrolled to its top, or to where it was when somebody goes back.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** How long the heading, and content that is high enough, are waited for: screens are loaded when they are opened. */
const WAIT_MS = 30_000;

/** @param location the address of the screen, without its query */
export function useArrival(location: string, main: RefObject<HTMLElement | null>): void {
  const left = useRef(location);
  const scrolled = useRef(new Map<string, number>());
  /** The address that the history leads to, until its screen is opened. */
  const backTo = useRef<string | null>(null);

  useEffect(() => {
    const remember = () => {
      scrolled.current.set(left.current, window.scrollY);
    };
    // Comes before the browser scrolls by itself, and before the change of the address is known.
    const back = () => {
      remember();
      backTo.current = window.location.hash;
    };
    // A link of ours causes no popstate, and makes this event itself.
    const leave = ({ isTrusted }: Event) => {
      if (!isTrusted) remember();
    };
    window.addEventListener('popstate', back);
    window.addEventListener('hashchange', leave);
    return () => {
      window.removeEventListener('popstate', back);
      window.removeEventListener('hashchange', leave);
    };
  }, []);

  useLayoutEffect(() => {
    const element = main.current;
    if (element === null || left.current === location) return undefined;
    left.current = location;
    const isGoingBack = backTo.current === window.location.hash;
    backTo.current = null;
    const top = isGoingBack ? (scrolled.current.get(location) ?? 0) : 0;
    const stopScrolling = scrollWhenHighEnough(element, top);
    const stopFocusing = focusHeading(element);
    return () => {
      stopScrolling();
      stopFocusing();
    };
  }, [location, main]);
}

/** Goes to the heading as soon as it is there, unless somebody has moved the focus meanwhile. */
function focusHeading(main: HTMLElement): () => void {
  // Who chooses a site with the arrow keys goes on choosing.
  if (document.activeElement instanceof HTMLSelectElement) return () => {};
  const focus = (element: HTMLElement) => {
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  };
  const heading = main.querySelector('h1');
  if (heading !== null) {
    focus(heading);
    return () => {};
  }
  focus(main);
  const observer = new MutationObserver(() => {
    const found = main.querySelector('h1');
    if (found === null) return;
    if (document.activeElement === main || document.activeElement === document.body) focus(found);
    observer.disconnect();
  });
  observer.observe(main, { childList: true, subtree: true });
  const timer = window.setTimeout(() => observer.disconnect(), WAIT_MS);
  return () => {
    window.clearTimeout(timer);
    observer.disconnect();
  };
}

/** Scrolls at once, and again while the content grows, until it is high enough or somebody scrolls. */
function scrollWhenHighEnough(main: HTMLElement, top: number): () => void {
  const stop = new AbortController();
  const scroll = () => {
    window.scrollTo({ top, behavior: 'instant' });
    if (Math.abs(window.scrollY - top) < 1) stop.abort();
  };
  scroll();
  if (stop.signal.aborted) return () => {};
  const observer = new ResizeObserver(scroll);
  observer.observe(main);
  const timer = window.setTimeout(() => stop.abort(), WAIT_MS);
  stop.signal.addEventListener('abort', () => {
    observer.disconnect();
    window.clearTimeout(timer);
  });
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    window.addEventListener(event, () => stop.abort(), { signal: stop.signal, passive: true });
  }
  return () => stop.abort();
}
