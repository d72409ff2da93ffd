/** Devices that seem to be one: groups with the evidence, and a button that joins them. */
import texts from 'messages:same';
import { Link } from 'wouter';
import type { SameDevices } from '../../../shared/api/device-joining.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { confidenceText } from '../../text/confidence.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Page } from '../../ui/page.tsx';
import type { ScreenProps } from '../../ui/screen-props.ts';
import { Answered, Empty } from '../../ui/state.tsx';
import { pathOf } from '../devices/device.ts';
import { titleOf, useJoin } from './use-join.ts';

export default function Same({ site }: ScreenProps) {
  const answer = useAnswer('GET /devices/same', { site });
  const toDevices = <LinkButton to={`/sites/${site}/devices`}>{texts.toDevices}</LinkButton>;
  return (
    <Page title={texts.title} actions={answer.data?.same.length === 0 ? undefined : toDevices}>
      <Answered of={answer}>
        {({ same }) =>
          same.length === 0 ? (
            <Empty title={texts.none}>
              <p>{texts.noneHint}</p>
              {toDevices}
            </Empty>
          ) : (
            <>
              <p className="max-w-180 text-muted">{texts.what}</p>
              <ul className="grid gap-3 max-w-180" aria-label={texts.candidates}>
                {same.map((group) => (
                  <GroupItem key={group.device.key} site={site} group={group} />
                ))}
              </ul>
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function GroupItem({ site, group }: { site: string; group: SameDevices }) {
  const { device, others, reason, confidence } = group;
  const mayJoin = useRights().may('devices:write');
  const { join, keepApart, isBusy } = useJoin(site);
  const title = titleOf(device);
  return (
    <li className="card grid gap-2 p-4">
      <div className="flex flex-wrap items-center gap-y-1 gap-x-2 min-w-0 wrap-anywhere">
        <h2 data-foreign>{texts.group({ name: title, others: others.length })}</h2>
        <Chip>{confidenceText(confidence)}</Chip>
      </div>
      <p className="text-muted text-sm wrap-anywhere" data-foreign>
        {reason}
      </p>
      <ul className="my-1 rounded-control bg-sunken text-sm [&_code]:text-muted [&_li]:grid [&_li]:grid-cols-[minmax(0,1fr)_auto_130px] max-700:[&_li]:grid-cols-[minmax(0,1fr)_auto] [&_li]:items-center [&_li]:gap-y-0.5 [&_li]:gap-x-4 [&_li]:min-h-row [&_li]:px-3 [&_li]:py-1 [&_li]:wrap-anywhere">
        <Member site={site} member={device} isStaying />
        {others.map((other) => (
          <Member key={other.key} site={site} member={other} />
        ))}
      </ul>
      {mayJoin ? (
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            disabled={isBusy}
            aria-label={texts.joinOf({ name: title, others: others.length })}
            onClick={() => void join(device, others)}
          >
            {texts.join}
          </Button>
          <Button
            disabled={isBusy}
            aria-label={texts.notTheSameOf({ name: title })}
            onClick={() => void keepApart(device)}
          >
            {texts.notTheSame}
          </Button>
        </div>
      ) : null}
    </li>
  );
}

interface MemberProps {
  site: string;
  member: SameDevices['device'];
  isStaying?: boolean;
}

function Member({ site, member, isStaying = false }: MemberProps) {
  return (
    <li>
      <Link href={pathOf(site, member)} data-foreign>
        {titleOf(member)}
      </Link>
      {member.name === '' ? null : <code>{member.key}</code>}
      <span className="col-3 text-muted text-xs max-700:col-span-full">{isStaying ? texts.stays : texts.joinsIt}</span>
    </li>
  );
}
