/** Enrols an agent, new or again: the form that makes the line for its host, and the codes still open. */
import common from 'messages:common';
import texts from 'messages:enrol';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type AnswerOf, ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Allowed } from '../../ui/allowed.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormBox, SubmitAction, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { showProblem, showToast } from '../../ui/toast.tsx';
import { agentName } from '../agents/agent-name.ts';
import { keepCode } from './codes.ts';
import { freeName } from './free-name.ts';
import { LineCard } from './host-steps.tsx';

type Made = AnswerOf<'POST /sites/{site}/agents'>;
type Hours = keyof typeof texts.hoursOf;

const HOUR_MS = 3_600_000;
/** The limit is 30 days, and the clock of the service may be some seconds behind. */
const MARGIN_MS = 60_000;

/** @param id name of the agent to replace; empty for a new one */
export default function NewAgent({ site: id, id: replaced }: { site: string; id: string }) {
  const sites = useAnswer('GET /sites');
  const [made, setMade] = useState<Made | null>(null);
  const site = sites.data?.sites.find((one) => one.id === id);
  const title = (replaced === '' ? texts.agentTitle : texts.againTitle)({ site: site?.name ?? id });
  return (
    <Allowed scope="admin" title={title} needs={texts.needsAdmin}>
      <Page title={title}>
        <Answered of={sites}>
          {() =>
            site === undefined ? (
              <Empty title={texts.noSite({ id })}>
                <LinkButton to="/" look="primary">
                  {common.toSites}
                </LinkButton>
              </Empty>
            ) : (
              <div className="grid gap-4 max-w-180">
                {made === null ? (
                  <Card>
                    <p className="text-muted">{texts.agentIntro}</p>
                    <AgentForm site={id} replaced={replaced} isDiscoveryOn={site.discovery.enabled} onMade={setMade} />
                  </Card>
                ) : (
                  <>
                    <p role="status">{texts.madeOnce}</p>
                    <LineCard made={{ ...made, version: made.release?.version ?? null }} uses={made.uses} />
                  </>
                )}
                <OpenCodes site={id} />
              </div>
            )
          }
        </Answered>
      </Page>
    </Allowed>
  );
}

interface FormProps {
  site: string;
  replaced: string;
  isDiscoveryOn: boolean;
  /** Called with a code for several hosts. */
  onMade: (made: Made) => void;
}

function AgentForm({ site, replaced, isDiscoveryOn, onMade }: FormProps) {
  const [, navigate] = useLocation();
  const rights = useRights();
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site } }, { when: rights.may('nettools:run') });
  const agents = data?.agents ?? [];
  const [now] = useState(Date.now);
  const form = useForm({
    route: 'POST /sites/{site}/agents',
    first: {
      name: replaced === '' ? freeName(agents.map(({ id }) => agentName(id))) : replaced,
      isReplacing: replaced !== '',
      isToDiscover: true,
      uses: '1',
      hours: '1' as Hours,
      networks: '',
    },
    says: { uses: texts.usesWrong, networks: texts.networksWrong },
    body: ({ name: typed, isReplacing, uses, hours, networks }) => ({
      ...(Number(uses) > 1 ? {} : { name: typed.trim(), ...(isReplacing ? { replace: true } : {}) }),
      ...(uses === '1' ? {} : { uses: uses.trim() === '' ? Number.NaN : Number(uses) }),
      ...(hours === '1' ? {} : { expiresAt: new Date(now + Number(hours) * HOUR_MS - MARGIN_MS).toISOString() }),
      ...(networks.trim() === '' ? {} : { networks: networks.trim().split(/[\s,;]+/) }),
    }),
    async send(body) {
      if (!isDiscoveryOn && form.values.isToDiscover) {
        await ask('PATCH /sites/{site}', { params: { site }, body: { discovery: { enabled: true } } });
      }
      return ask('POST /sites/{site}/agents', { params: { site }, body });
    },
    onDone(made) {
      if (made.agent === null) return onMade(made);
      const { code, expiresAt, addresses, release } = made;
      const before = namesake === undefined ? null : { state: namesake.state, since: namesake.since };
      keepCode({ site, agent: name, code, expiresAt, addresses, version: release?.version ?? null, replaced: before });
      navigate(`/sites/${site}/enrol/${name}`, { replace: true });
    },
  });
  const name = form.values.name.trim();
  const namesake = agents.find(({ id }) => agentName(id) === name);
  // A token that may not see agents learns of a namesake by the conflict only.
  const isTaken = namesake !== undefined || (form.error !== null && problemOf(form.error).code === 'conflict');
  const isForSeveral = Number(form.values.uses) > 1;
  const isBlocked = isTaken && !form.values.isReplacing && !isForSeveral;
  return (
    <FormBox form={form} actions={<SubmitAction disabled={form.isPending || isBlocked}>{texts.makeLine}</SubmitAction>}>
      {isForSeveral ? null : (
        <TextField
          label={texts.agentName}
          hint={texts.agentNameHint}
          autoCapitalize="none"
          autoFocus={form.values.uses === '1'}
          {...form.text('name')}
          onChange={({ target }) => form.set({ name: target.value, isReplacing: false })}
        />
      )}
      {isTaken && !isForSeveral ? <CheckField label={texts.replace} {...form.check('isReplacing')} /> : null}
      {isDiscoveryOn ? null : (
        <CheckField label={texts.discover} hint={texts.discoverHint} {...form.check('isToDiscover')} />
      )}
      <details className="[&_summary]:w-fit [&_summary]:py-1 [&_summary]:text-muted [&_summary]:cursor-pointer">
        <summary>{texts.several}</summary>
        <div className="grid gap-3">
          {replaced === '' ? (
            <TextField label={texts.uses} hint={texts.usesHint} inputMode="numeric" {...form.text('uses')} />
          ) : null}
          <SelectField label={texts.validity} {...form.text('hours')}>
            <Options of={texts.hoursOf} />
          </SelectField>
          <TextArea label={texts.networks} hint={texts.networksHint} spellCheck={false} {...form.text('networks')} />
        </div>
      </details>
    </FormBox>
  );
}

/** The codes that can still enrol hosts at a site. */
function OpenCodes({ site }: { site: string }) {
  const { data } = useAnswer('GET /enrolment-codes');
  const revoke = useChange('DELETE /enrolment-codes/{id}');
  const codes = data?.codes.filter((code) => code.site === site) ?? [];
  if (codes.length === 0) return null;
  return (
    <Card title={texts.codes}>
      <ul className="grid gap-3" aria-label={texts.codes}>
        {codes.map(({ id, agent, used, uses, expiresAt, networks }) => {
          const name = agent === null ? texts.hosts({ used, uses }) : agentName(agent);
          return (
            <li key={id} className="flex flex-wrap items-center justify-between gap-y-1 gap-x-4">
              <span data-foreign>{[name, ...networks].join(' · ')}</span>
              <span className="text-muted">
                {texts.until} <Time at={expiresAt} />
              </span>
              <Button
                aria-label={texts.revokeOf({ name })}
                disabled={revoke.isPending}
                onClick={() =>
                  revoke.mutate({ params: { id } }, { onSuccess: () => showToast(texts.revoked), onError: showProblem })
                }
              >
                {texts.revoke}
              </Button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
