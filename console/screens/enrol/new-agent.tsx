/** A new agent for a site, or one that is to be enrolled again: its name, and whether it is to scan. What comes of it is the line for its host. */
import { useLocation } from 'wouter';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormBox, useForm } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { agentName } from '../agents/agent-name.ts';
import { keepCode } from './codes.ts';
import styles from './enrol.module.css';
import { freeName } from './free-name.ts';
import { texts } from './texts.ts';

/** @param id the name of the agent that is replaced; empty for another one */
export default function NewAgent({ site: id, id: replaced }: { site: string; id: string }) {
  const rights = useRights();
  const sites = useAnswer('GET /sites');
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  const site = sites.data?.sites.find((one) => one.id === id);
  return (
    <Page title={(replaced === '' ? texts.agentTitle : texts.againTitle)(site?.name ?? id)}>
      {rights.may('admin') ? (
        <Answered of={sites}>
          {() =>
            site === undefined ? (
              <Empty title={texts.noSite(id)}>
                <LinkButton to="/" look="primary">
                  {common.toSites}
                </LinkButton>
              </Empty>
            ) : (
              <div className={styles.narrow}>
                <Card>
                  <p className="muted">{texts.agentIntro}</p>
                  <AgentForm site={id} replaced={replaced} isDiscoveryOn={site.discovery.enabled} />
                </Card>
              </div>
            )
          }
        </Answered>
      ) : (
        <Empty title={texts.needsAdmin} />
      )}
    </Page>
  );
}

interface FormProps {
  site: string;
  replaced: string;
  isDiscoveryOn: boolean;
}

function AgentForm({ site, replaced, isDiscoveryOn }: FormProps) {
  const [, navigate] = useLocation();
  const rights = useRights();
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site } }, { when: rights.may('nettools:run') });
  const agents = data?.agents ?? [];
  const form = useForm({
    first: {
      name: replaced === '' ? freeName(agents.map(({ id }) => agentName(id))) : replaced,
      isReplacing: replaced !== '',
      isToDiscover: true,
    },
    schema: admin.createEnrolmentCode.body,
    body: ({ name: typed, isReplacing }) => ({ name: typed.trim(), ...(isReplacing ? { replace: true } : {}) }),
    async send(body) {
      if (!isDiscoveryOn && form.values.isToDiscover) {
        await ask('PATCH /sites/{site}', { params: { site }, body: { discovery: { enabled: true } } });
      }
      return ask('POST /sites/{site}/agents', { params: { site }, body });
    },
    onDone({ code, expiresAt, addresses, release }) {
      const before = namesake === undefined ? null : { state: namesake.state, since: namesake.since };
      keepCode({ site, agent: name, code, expiresAt, addresses, version: release?.version ?? null, replaced: before });
      navigate(`/sites/${site}/enrol/${name}`, { replace: true });
    },
  });
  const name = form.values.name.trim();
  const namesake = agents.find(({ id }) => agentName(id) === name);
  // A token that may not see agents learns only from a refusal that there is one of this name.
  const isTaken = namesake !== undefined || (form.error !== null && problemOf(form.error).code === 'conflict');
  const isBlocked = isTaken && !form.values.isReplacing;
  return (
    <FormBox
      form={form}
      actions={
        <div>
          <Button type="submit" look="primary" disabled={form.isPending || isBlocked}>
            {texts.makeLine}
          </Button>
        </div>
      }
    >
      <TextField
        label={texts.agentName}
        hint={texts.agentNameHint}
        autoCapitalize="none"
        autoFocus
        {...form.text('name')}
        onChange={({ target }) => form.set({ name: target.value, isReplacing: false })}
      />
      {isTaken ? <CheckField label={texts.replace} {...form.check('isReplacing')} /> : null}
      {isDiscoveryOn ? null : (
        <CheckField label={texts.discover} hint={texts.discoverHint} {...form.check('isToDiscover')} />
      )}
    </FormBox>
  );
}
