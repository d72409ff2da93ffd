/** The line that enrols a host, and what comes of it: the agent, and the first devices. */
import texts from 'messages:enrol';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { agentName } from '../agents/agent-name.ts';
import { findCode } from './codes.ts';
import { HostSteps } from './host-steps.tsx';
import { Newcomers } from './newcomers.tsx';
import { progressOf } from './progress.ts';
import { Steps } from './steps.tsx';

/** How many of the newest devices are named. */
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
  // Empty: the token is not known yet.
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
