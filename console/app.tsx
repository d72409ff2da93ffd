/** The screens and their addresses. Each screen is loaded when it is first opened. */
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { useSession } from './api/session.ts';
import { SignIn } from './screens/sign-in/sign-in.tsx';
import { Shell } from './shell/shell.tsx';
import { texts } from './texts.ts';
import { LinkButton } from './ui/button.tsx';
import { useHashLocation } from './ui/hash-location.ts';
import { Empty } from './ui/state.tsx';

/** A screen about one site gets its id; `id` is the last part of the address, such as the key of a device. */
export interface ScreenProps {
  site: string;
  id: string;
}

const SCREENS: Record<string, ComponentType<ScreenProps>> = {
  '/': lazy(() => import('./screens/sites/sites.tsx')),
  '/sites/:site/topology': lazy(() => import('./screens/topology/topology.tsx')),
  '/sites/:site/devices': lazy(() => import('./screens/devices/devices.tsx')),
  '/sites/:site/devices/:id': lazy(() => import('./screens/device/device.tsx')),
};

export function App() {
  const { session, ended } = useSession();
  if (session === null) return <SignIn ended={ended} />;
  return (
    <Router hook={useHashLocation}>
      <Switch>
        {Object.entries(SCREENS).map(([path, Screen]) => (
          <Route key={path} path={path}>
            {({ site = '', id = '' }: { site?: string; id?: string }) => (
              <Shell site={site === '' ? null : site}>
                <Suspense fallback={<div role="status">{texts.common.loading}</div>}>
                  <Screen key={`${site} ${id}`} site={site} id={decodeURIComponent(id)} />
                </Suspense>
              </Shell>
            )}
          </Route>
        ))}
        <Route>
          <Shell site={null}>
            <Empty title={texts.shell.notFound}>
              <LinkButton to="/">{texts.shell.toSites}</LinkButton>
            </Empty>
          </Shell>
        </Route>
      </Switch>
    </Router>
  );
}
