/** What the page of a share runs: no part of the console, which a stranger need not load. */
void import('./page.ts');

export {};
