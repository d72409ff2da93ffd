/** What somebody types between opening a dialog and the moment at which its field is there to take it. */
import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';

interface Props {
  /** Takes what is typed; whoever shows the field empties it. */
  into: RefObject<string>;
  onEscape: () => void;
}

/** Stands in the place of the dialog while its files are on their way. No shortcut hears of the keys meanwhile. */
export function TypedAhead({ into, onEscape }: Props): null {
  const leave = useEffectEvent(onEscape);
  useLayoutEffect(() => {
    const left = new AbortController();
    const take = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Escape') leave();
      else if (event.key === 'Backspace') into.current = into.current.slice(0, -1);
      else if ([...event.key].length === 1) into.current += event.key;
    };
    window.addEventListener('keydown', take, { capture: true, signal: left.signal });
    return () => left.abort();
  }, [into]);
  return null;
}
