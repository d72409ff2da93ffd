/** The screen of one device: its name, status and actions, and below them its facts, charts, ports and runs. */
import texts from 'messages:device';
import { Check, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { lazyPart } from '../../shell/lazy-screen.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered, Empty } from '../../ui/state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { DeviceActions } from './actions.tsx';
import { useRestore } from './delete-dialog.tsx';
import { Facts } from './facts.tsx';
import type { TextField } from './merge-edit.ts';
import { PortsTab } from './ports-tab.tsx';
import { nameOf, Profile } from './profile.tsx';
import { Running, RunsTab } from './runs-tab.tsx';
import { ScreenContext, useDeviceScreen } from './screen.ts';
import { useDevice, useDeviceEditor } from './use-device.ts';
import { useHistory } from './use-history.ts';
import { useDeviceTools } from './use-tools.ts';

const EditDialog = lazyPart(() => import('./edit-dialog.tsx'));
const OverTime = lazyPart(() => import('./over-time.tsx'));
const Timeline = lazyPart(() => import('./timeline.tsx'));

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
  const [edited, edit] = useState<TextField | null>(null);
  const title = nameOf(device);
  return (
    <ScreenContext value={{ site, device, mayEdit, tools, history, editor, edit }}>
      <Page title={title} heading={<Profile />} actions={<DeviceActions onScan={() => open('ports')} />}>
        <Tabs label={texts.tabsOf({ name: title })} tabs={tabs as typeof texts.tabs} value={tab} onChange={open} />
        <div className="grid gap-4 content-start min-w-0 [container-type:inline-size]">
          {tools === null ? null : <Running tools={tools} />}
          {tab === 'overview' ? <Overview events={eventsOf(site, device.key)} /> : null}
          {tab === 'ports' ? <PortsTab /> : null}
          {tab === 'runs' && tools !== null ? <RunsTab tools={tools} /> : null}
        </div>
      </Page>
      {edited === null ? null : <EditDialog first={edited} onClose={() => edit(null)} />}
    </ScreenContext>
  );
}

/** @param events the address of all its events */
function Overview({ events }: { events: string }) {
  const { device, history, mayEdit, editor } = useDeviceScreen();
  return (
    <>
      {device.devIsNew === 1 && mayEdit ? (
        <div className="flex flex-wrap items-center justify-between gap-y-2 gap-x-3 px-4 py-2 rounded-card bg-new-soft">
          <p>{texts.newHint}</p>
          <Button onClick={() => editor.set({ devIsNew: 0 })} icon={<Check />}>
            {texts.acknowledge}
          </Button>
        </div>
      ) : null}
      <Facts />
      <Answered of={history}>
        {(known) => (
          <>
            <OverTime />
            <Timeline history={known} to={events} />
          </>
        )}
      </Answered>
    </>
  );
}

function eventsOf(site: string, key: string): string {
  return `/sites/${site}/events?device=${encodeURIComponent(key)}`;
}

/** There is no such device: when it was deleted, and a way to restore it. @param events the address of its events */
function Gone({ site, id, events }: ScreenProps & { events: string }) {
  const mayEdit = useRights().may('devices:write');
  const restore = useRestore(site);
  const question = { site, params: { mac: id }, query: { limit: 1 } };
  const { data } = useAnswer('GET /devices/{mac}/events', question, { everyMs: 0 });
  const [last] = data?.events ?? [];
  const toDevices = `/sites/${site}/devices`;
  if (last?.type !== 'deleted') {
    return (
      <Page title={id}>
        <Empty title={texts.gone}>
          <p>{texts.goneHint}</p>
          <LinkButton to={toDevices} look="primary">
            {texts.toDevices}
          </LinkButton>
        </Empty>
      </Page>
    );
  }
  const name = last.device?.name || id;
  // The id of an event is the version of its change, a dot, and its place in it.
  const [change = ''] = last.id.split('.');
  return (
    <Page title={name}>
      <Empty title={texts.deletedTitle}>
        <p>
          {texts.deletedWhen} <Time at={last.at} />.
        </p>
        <div className="flex flex-wrap gap-2">
          {mayEdit ? (
            <Button look="primary" onClick={() => void restore({ key: id, name, change })} icon={<Undo2 />}>
              {texts.bringBack}
            </Button>
          ) : null}
          <LinkButton to={toDevices}>{texts.toDevices}</LinkButton>
          <LinkButton to={events}>{texts.whatHappened}</LinkButton>
        </div>
      </Empty>
    </Page>
  );
}
