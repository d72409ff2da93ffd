/** The other MAC addresses of the device, each of which can be a device of its own again. */
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { sameTexts as texts } from '../same/texts.ts';
import { useJoin } from '../same/use-join.ts';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

export function OtherMacs({ site, device, mayEdit }: Props) {
  const { split, isBusy } = useJoin(site);
  if (device.joined.length === 0) return null;
  return (
    <Card title={texts.otherMacs}>
      <Table
        label={texts.otherMacsTable}
        rows={device.joined}
        keyOf={({ mac }) => mac}
        columns={[
          { heading: texts.mac, cell: ({ mac }) => <code>{mac}</code> },
          { heading: texts.ip, cell: ({ ip }) => <code>{ip}</code> },
          { heading: texts.seen, cell: ({ online, seenAt }) => (online ? texts.now : <Time at={seenAt} />) },
          ...(mayEdit
            ? [
                {
                  heading: texts.split,
                  cell: ({ mac }: OneDevice['joined'][number]) => (
                    <Button
                      disabled={isBusy}
                      aria-label={texts.splitOf(mac)}
                      onClick={() => void split(device.key, [mac])}
                    >
                      {texts.split}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {mayEdit && device.joined.length > 1 ? (
        <div>
          <Button
            disabled={isBusy}
            onClick={() =>
              void split(
                device.key,
                device.joined.map(({ mac }) => mac),
              )
            }
          >
            {texts.splitAll}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}
