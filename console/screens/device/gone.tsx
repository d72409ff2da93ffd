/** There is no such device: when it was deleted, and a way to restore it. */
import texts from 'messages:device';
import { Undo2 } from 'lucide-react';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { useRestore } from './delete-dialog.tsx';

interface Props {
  site: string;
  id: string;
  /** The address of its events. */
  events: string;
}

export function Gone({ site, id, events }: Props) {
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
