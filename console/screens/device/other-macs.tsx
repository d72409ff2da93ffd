/** The other MAC addresses of the device, each of which can be a device of its own again. */
import texts from 'messages:same';
import type { OneDevice } from '../../../shared/api/one-device.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { useJoin } from '../same/use-join.ts';
import styles from './facts.module.css';

interface Props {
  site: string;
  device: OneDevice;
  mayEdit: boolean;
}

export function OtherMacs({ site, device, mayEdit }: Props) {
  const { split, isBusy } = useJoin(site);
  const { joined, key } = device;
  if (joined.length === 0) return null;
  const splitAll = () =>
    void split(
      key,
      joined.map(({ mac }) => mac),
    );
  return (
    <section
      aria-label={texts.otherMacs}
      className={`${styles.otherMacs} grid gap-2 justify-items-start mt-2 [&_h2]:text-sm [&_ul]:grid [&_ul]:gap-2 [&_ul]:w-full`}
    >
      <h2>{texts.otherMacs}</h2>
      <ul>
        {joined.map(({ mac, ip, online, seenAt }) => (
          <li key={mac}>
            <div>
              <code>{mac}</code>
              <div className="text-muted text-xs">
                {ip === '' ? null : <span>{ip} · </span>}
                {online ? texts.now : <Time at={seenAt} />}
              </div>
            </div>
            {mayEdit ? (
              <Button disabled={isBusy} aria-label={texts.splitOf({ mac })} onClick={() => void split(key, [mac])}>
                {texts.split}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayEdit && joined.length > 1 ? (
        <Button disabled={isBusy} onClick={splitAll}>
          {texts.splitAll}
        </Button>
      ) : null}
    </section>
  );
}
