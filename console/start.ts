/** What the page runs: the console, in the language that `shell/first-paint.js` has settled. */
void import('./main.tsx');

export {};
