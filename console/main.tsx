/** Starts the console in the page. */
import './api/zod-settings.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeQueryClient } from './api/queries.ts';
import { onSessionChange, openSession } from './api/session.ts';
import { finishSignIn } from './api/sign-in.ts';
import { App } from './app.tsx';
import { density, theme } from './shell/theme.ts';
import { listenForArrivals } from './ui/arrival.ts';
import { listenForShortcuts } from './ui/keys.ts';
import { dismissToasts } from './ui/toast.tsx';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './ui/base.css';

theme.applyChanges();
density.applyChanges();
openSession();
void finishSignIn();
listenForShortcuts();
listenForArrivals();

const queries = makeQueryClient();
// Another token must not see the data of this one.
onSessionChange(() => {
  queries.clear();
  dismissToasts();
});

const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element #app');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
