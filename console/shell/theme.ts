/** Colours and density; the system decides on colours until a person chooses. Their tokens are in `ui/base.css`. */
import { makeKeptStore } from '../ui/store.ts';

/** `first-paint.js` reads and applies both as well. @param offered the default first */
function makeChoice<Name extends string>(key: 'theme' | 'density', offered: readonly [Name, ...Name[]]) {
  const kept = makeKeptStore(`lanreach.${key}`);
  const valid = (text: string | null) => offered.find((one) => one === text) ?? offered[0];
  return {
    use: () => valid(kept.use()),
    choose: (next: Name) => kept.set(next === offered[0] ? null : next),
    applyChanges: () =>
      kept.subscribe(() => {
        document.documentElement.dataset[key] = valid(kept.get());
      }),
  };
}

export const theme = makeChoice('theme', ['system', 'light', 'dark']);
/** The height of the rows of tables. */
export const density = makeChoice('density', ['compact', 'comfortable']);
