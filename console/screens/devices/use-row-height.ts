/** How high a row is: the token of the density that a person has chosen, and of touch. Rows are placed by numbers. */
import { useSyncExternalStore } from 'react';

const FALLBACK_PX = 32;

function rowHeight(): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue('--row-height');
  return Number.parseFloat(text) || FALLBACK_PX;
}

function subscribe(listener: () => void): () => void {
  const density = new MutationObserver(listener);
  density.observe(document.documentElement, { attributes: true, attributeFilter: ['data-density'] });
  const touch = window.matchMedia('(pointer: coarse)');
  touch.addEventListener('change', listener);
  return () => {
    density.disconnect();
    touch.removeEventListener('change', listener);
  };
}

export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, rowHeight);
}
