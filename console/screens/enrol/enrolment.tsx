/** The line that enrols a host, then the new agent and its first devices. */
import texts from 'messages:enrol';
import type { DeviceSummary } from '../../../shared/device.ts';
import { UNKNOWN_NAMES } from '../../../shared/words.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { agentName } from '../agents/agent-name.ts';
import { findCode } from './codes.ts';
import { HostSteps } from './host-steps.tsx';
import { progressOf } from './progress.ts';
import { Steps } from './steps.tsx';

/** Devices listed, the newest first. */
const NAMED = 24;

export default function Enrolment({ site: id, id: name }: { site: string; id: string }) {
  const rights = useRights();
  const params = { site: id };
  const everyMs = POLL_MS.lively;
  const site = useAnswer('GET /sites/{site}', { params }, { everyMs, when: rights.may('devices:read') });
  const maySee = rights.may('nettools:run');
  const agents = useAnswer('GET /sites/{site}/agents', { params }, { everyMs, when: maySee });
  const devices = useAnswer(
    'GET /devices',
    { site: id, query: { limit: NAMED, sort: '-firstConnection' } },
    { everyMs, when: rights.may('devices:read') },
  );
  // The rights are still loading.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin')) return <Empty title={texts.needsAdmin} />;

  const made = findCode(id, name);
  const agent = agents.data?.agents.find((one) => agentName(one.id) === name);
  const count = devices.data?.total ?? 0;
  return (
    <Page
      title={texts.agent({ name, site: site.data?.name ?? id })}
      actions={<LinkButton to={`/sites/${id}/settings`}>{texts.toSettings}</LinkButton>}
    >
      <Answered of={site}>
        {({ discovery }) => {
          const progress = progressOf({ agent, replaced: made?.replaced ?? null, discovery, devices: count });
          const isEnrolled = progress.enrolled === 'done';
          return (
            <div className="grid gap-4 max-w-(--measure)">
              {isEnrolled ? null : <HostSteps site={id} made={made} />}
              <Card title={isEnrolled ? texts.agentIs : texts.wait}>
                {maySee ? (
                  <Steps
                    {...{ site: id, progress, agent: isEnrolled ? agent : undefined, discovery, devices: count }}
                  />
                ) : (
                  <p>{texts.mayNotSee}</p>
                )}
                {count === 0 || progress.online !== 'done' ? null : (
                  <>
                    <div className="flex flex-wrap gap-2">
                      <LinkButton to={`/sites/${id}/devices`} look={progress.devices === 'done' ? 'primary' : 'plain'}>
                        {texts.toDevices}
                      </LinkButton>
                      <LinkButton to={`/sites/${id}/agents/${name}`}>{texts.toAgent}</LinkButton>
                    </div>
                    <Newcomers devices={devices.data?.devices ?? []} />
                  </>
                )}
              </Card>
            </div>
          );
        }}
      </Answered>
    </Page>
  );
}

function Newcomers({ devices }: { devices: readonly (DeviceSummary | object)[] }) {
  return (
    <section aria-label={texts.firstDevices}>
      <h3>{texts.firstDevices}</h3>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(260px,100%),1fr))] gap-2 mt-2">
        {devices.filter(isSummary).map(({ devName, devIP, devMAC }) => {
          const names = [UNKNOWN_NAMES.includes(devName) ? '' : devName, devIP, devMAC];
          const [title = '', ...about] = names.filter((part) => part !== '');
          return (
            <li key={devMAC} className="grid min-w-0 px-3 py-2 border border-line rounded-control [&>*]:truncate">
              <strong data-foreign title={title}>
                {title}
              </strong>
              <span className="text-muted text-sm tabular-nums" data-foreign>
                {about.join(' · ')}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function isSummary(device: object): device is DeviceSummary {
  return 'devMAC' in device;
}
