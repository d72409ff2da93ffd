/** The screens and their addresses. */
import common from 'messages:common';
import texts from 'messages:shell';
import { Compass } from 'lucide-react';
import { type ComponentType, Suspense, useEffect } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { useReachable } from './api/connection.ts';
import { useSession } from './api/session.ts';
import { signInState } from './api/sign-in.ts';
import { SignIn } from './screens/sign-in/sign-in.tsx';
import { DeadEnd } from './shell/dead-end.tsx';
import { lazy, lazyPart, preloadScreens } from './shell/lazy-screen.ts';
import { PlaceTabs } from './shell/navigation.tsx';
import { ScreenBoundary } from './shell/screen-boundary.tsx';
import { Shell } from './shell/shell.tsx';
import { LinkButton } from './ui/button.tsx';
import { useHashLocation } from './ui/hash-location.ts';
import { PageTabs } from './ui/page.tsx';
import type { ScreenProps } from './ui/screen-props.ts';
import { siteOfAddress } from './ui/site-of-address.ts';

const SCREENS: Record<string, ComponentType<ScreenProps>> = {
  '/': lazy(() => import('./screens/sites/sites.tsx')),
  '/add-site': lazy(() => import('./screens/add-site/add-site.tsx')),
  '/sites/:site': lazy(() => import('./screens/overview/overview.tsx')),
  '/sites/:site/map': lazy(() => import('./screens/map/map.tsx')),
  '/sites/:site/devices': lazy(() => import('./screens/devices/devices.tsx')),
  '/sites/:site/devices/:id': lazy(() => import('./screens/device/device.tsx')),
  '/sites/:site/same': lazy(() => import('./screens/same/same.tsx')),
  '/sites/:site/tools': lazy(() => import('./screens/tools/tools.tsx')),
  '/sites/:site/tools/:id': lazy(() => import('./screens/tools/tool-screen.tsx')),
  '/sites/:site/changes': lazy(() => import('./screens/changes/changes.tsx')),
  '/sites/:site/checks': lazy(() => import('./screens/checks/checks.tsx')),
  '/sites/:site/checks/:id': lazy(() => import('./screens/checks/one-check.tsx')),
  '/sites/:site/internet': lazy(() => import('./screens/internet/internet.tsx')),
  '/sites/:site/schedules': lazy(() => import('./screens/schedules/schedules.tsx')),
  '/sites/:site/runs': lazy(() => import('./screens/runs/runs.tsx')),
  '/sites/:site/runs/:id': lazy(() => import('./screens/runs/one-run.tsx')),
  '/sites/:site/agents': lazy(() => import('./screens/agents/site-agents.tsx')),
  '/sites/:site/agents/new': lazy(() => import('./screens/enrol/new-agent.tsx')),
  '/sites/:site/agents/new/:id': lazy(() => import('./screens/enrol/new-agent.tsx')),
  '/sites/:site/agents/:id': lazy(() => import('./screens/agents/agent-page.tsx')),
  '/sites/:site/enrol/:id': lazy(() => import('./screens/enrol/enrolment.tsx')),
  '/sites/:site/settings': lazy(() => import('./screens/site-settings/site-settings.tsx')),
  '/matrix': lazy(() => import('./screens/matrix/matrix.tsx')),
  '/report': lazy(() => import('./screens/report/report.tsx')),
  '/sites/:site/report': lazy(() => import('./screens/report/report.tsx')),
  '/events': lazy(() => import('./screens/events/all-events.tsx')),
  '/sites/:site/events': lazy(() => import('./screens/events/site-events.tsx')),
  '/sites/:site/audit': lazy(() => import('./screens/audit/audit.tsx')),
  '/admin/agents': lazy(() => import('./screens/admin/agents.tsx')),
  '/admin/audit': lazy(() => import('./screens/audit/audit.tsx')),
  '/admin/templates': lazy(() => import('./screens/templates/templates.tsx')),
  '/admin/templates/:id': lazy(() => import('./screens/templates/template.tsx')),
  '/admin/updates': lazy(() => import('./screens/admin/updates.tsx')),
  '/admin/people': lazy(() => import('./screens/people/people.tsx')),
  '/admin/people/:id': lazy(() => import('./screens/people/person.tsx')),
  '/admin/tokens': lazy(() => import('./screens/tokens/tokens.tsx')),
  '/batches': lazy(() => import('./screens/batches/batches.tsx')),
  '/batches/new': lazy(() => import('./screens/batches/new-batch.tsx')),
  '/batches/:id': lazy(() => import('./screens/batches/batch.tsx')),
  '/connect/:id': lazy(() => import('./screens/connect/connect.tsx')),
  '/sites/:site/notifications': lazy(() => import('./screens/notifications/notifications.tsx')),
  '/sites/:site/notifications/:id': lazy(() => import('./screens/notifications/notification.tsx')),
};

const ReplaceSession = lazyPart(() => import('./screens/sign-in/replace-session.tsx'));

export function App() {
  const { session, ended, offer } = useSession();
  const { isPending } = signInState.use();
  if (session === null || isPending) return <SignIn ended={ended} />;
  return (
    <>
      {/* The key: another session starts without any state of this one. */}
      <Router key={session.token} hook={useHashLocation}>
        <Screens />
      </Router>
      {offer === null ? null : <ReplaceSession />}
    </>
  );
}

/** The frame stays mounted when another screen opens. */
function Screens() {
  const [location] = useLocation();
  useEffect(preloadScreens, []);
  const site = siteOfAddress(location);
  return (
    <Shell site={site}>
      <Switch>
        {Object.entries(SCREENS).map(([path, Screen]) => (
          <Route key={path} path={path}>
            {({ site = '', id = '' }: { site?: string; id?: string }) => (
              <ScreenBoundary key={`${site} ${id}`}>
                <Suspense fallback={<Loading />}>
                  <PageTabs value={<PlaceTabs />}>
                    <Screen site={site} id={decoded(id)} />
                  </PageTabs>
                </Suspense>
              </ScreenBoundary>
            )}
          </Route>
        ))}
        <Route>
          <NotFound site={site} />
        </Route>
      </Switch>
    </Shell>
  );
}

function NotFound({ site }: { site: string | null }) {
  const ways = (
    <>
      {site === null ? null : (
        <LinkButton to={`/sites/${site}`} look="primary">
          {texts.overview}
        </LinkButton>
      )}
      <LinkButton to="/">{texts.allSites}</LinkButton>
    </>
  );
  return (
    <DeadEnd icon={Compass} title={texts.notFound} ways={ways}>
      <p>{texts.notFoundHint}</p>
    </DeadEnd>
  );
}

function Loading() {
  const isReachable = useReachable();
  return <div role="status">{isReachable ? common.loading : texts.waitsForApi}</div>;
}

/** A part of an address; unchanged where a `%` in it encodes nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
