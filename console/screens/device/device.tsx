/** The screen of one device: its profile, and beside it its charts, ports, history and runs. */
import texts from 'messages:device';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { problemOf } from '../../api/problem.ts';
import { useRights } from '../../api/rights.ts';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Gone } from './gone.tsx';
import { nameOf } from './name-heading.tsx';
import { Overview } from './overview.tsx';
import { PortsTab } from './ports-tab.tsx';
import { Profile } from './profile.tsx';
import { Running } from './running.tsx';
import { RunsTab } from './runs-tab.tsx';
import { ScreenContext } from './screen.ts';
import { useDevice, useDeviceEditor } from './use-device.ts';
import { useHistory } from './use-history.ts';
import { useDeviceTools } from './use-tools.ts';

const HistoryTab = lazyPart(() => import('./history-tab.tsx'));

export default function Device({ site, id }: ScreenProps) {
  const device = useDevice(site, id);
  if (device.error !== null && problemOf(device.error).code === 'not_found') {
    return <Gone site={site} id={id} events={eventsOf(site, id)} />;
  }
  if (device.data !== undefined) return <Known site={site} device={device.data} />;
  return (
    <Page title={id}>
      <Answered of={device}>{() => null}</Answered>
    </Page>
  );
}

type TabName = keyof typeof texts.tabs;

/** The tab is in the address; the charts keep their span when another tab is opened. */
function useTab(mayRun: boolean) {
  const [query, setQuery] = useHashQuery();
  const { runs, ...others } = texts.tabs;
  const tabs: Partial<typeof texts.tabs> = mayRun ? texts.tabs : others;
  const name = query.get('tab') ?? '';
  const tab = (Object.hasOwn(tabs, name) ? name : 'overview') as TabName;
  function open(next: TabName): void {
    if (next === tab) return;
    const changed = new URLSearchParams(query);
    if (next === 'overview') changed.delete('tab');
    else changed.set('tab', next);
    setQuery(changed);
  }
  return { tabs, tab, open };
}

function Known({ site, device }: { site: string; device: OneDevice }) {
  const rights = useRights();
  const mayEdit = rights.may('devices:write');
  const mayRun = rights.may('nettools:run');
  const history = useHistory(site, device.key);
  const commands = useDeviceTools(site, device);
  const tools = mayRun ? commands : null;
  const editor = useDeviceEditor(site, device.key);
  const { tabs, tab, open } = useTab(mayRun);
  const title = nameOf(device);
  return (
    <ScreenContext value={{ site, device, mayEdit, tools, history, editor }}>
      <div className="grid grid-cols-[320px_minmax(0,1fr)] gap-6 items-start min-w-0 max-1100:grid-cols-[280px_minmax(0,1fr)] max-1100:gap-4 max-900:grid-cols-1">
        <Profile onScan={() => open('ports')} />
        <Page
          title={title}
          heading={
            <Tabs label={texts.tabsOf({ name: title })} tabs={tabs as typeof texts.tabs} value={tab} onChange={open} />
          }
        >
          <div className="grid gap-4 content-start min-w-0 [container-type:inline-size]">
            {tools === null ? null : <Running tools={tools} />}
            {tab === 'overview' ? <Overview /> : null}
            {tab === 'ports' ? <PortsTab /> : null}
            {tab === 'history' ? <HistoryTab to={eventsOf(site, device.key)} /> : null}
            {tab === 'runs' && tools !== null ? <RunsTab tools={tools} /> : null}
          </div>
        </Page>
      </div>
    </ScreenContext>
  );
}

function eventsOf(site: string, key: string): string {
  return `/sites/${site}/events?device=${encodeURIComponent(key)}`;
}
