/** The title of the open screen, for the frame, where the heading may be out of view. */
import { makeStore } from './store.ts';

export const pageTitle = makeStore('');
