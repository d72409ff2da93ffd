/** What the screen that is shown is called: the frame says it where the heading may be out of sight. */
import { makeStore } from './store.ts';

export const pageTitle = makeStore('');
