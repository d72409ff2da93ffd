/** A new agent for a site: its name, and whether it is to look for devices. What comes of it is the line for its host. */
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { problemOf } from '../../api/problem.ts';
import { useAnswer, useChange } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty, ProblemBox } from '../../ui/state.tsx';
import { agentName } from '../agents/agent-name.ts';
import { keepCode } from './codes.ts';
import styles from './enrol.module.css';
import { freeName } from './free-name.ts';
import { texts } from './texts.ts';

export default function NewAgent({ site: id }: { site: string }) {
  const rights = useRights();
  const sites = useAnswer('GET /sites');
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  const site = sites.data?.sites.find((one) => one.id === id);
  return (
    <Page title={texts.agentTitle(site?.name ?? id)}>
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
              <Card>
                <p className={styles.quiet}>{texts.agentIntro}</p>
                <AgentForm site={id} isDiscoveryOn={site.discovery.enabled} />
              </Card>
            )
          }
        </Answered>
      ) : (
        <Empty title={texts.needsAdmin} />
      )}
    </Page>
  );
}

function AgentForm({ site, isDiscoveryOn }: { site: string; isDiscoveryOn: boolean }) {
  const [, navigate] = useLocation();
  const rights = useRights();
  const { data } = useAnswer('GET /sites/{site}/agents', { params: { site } }, { when: rights.may('nettools:run') });
  const agents = data?.agents ?? [];
  const makeCode = useChange('POST /sites/{site}/agents');
  const changeSite = useChange('PATCH /sites/{site}');
  const [ownName, setOwnName] = useState<string | null>(null);
  const [isReplacing, setReplacing] = useState(false);
  const [isToDiscover, setToDiscover] = useState(true);

  const name = (ownName ?? freeName(agents.map((agent) => agentName(agent.id)))).trim();
  const namesake = agents.find((agent) => agentName(agent.id) === name);
  const error = makeCode.error ?? changeSite.error;
  const problem = error === null ? null : problemOf(error);
  const nameProblem = problem?.fields.find(({ path }) => path === 'name');
  // A token that may not see agents learns only from a refusal that there is one of this name.
  const isTaken = namesake !== undefined || problem?.code === 'conflict';
  const isBusy = makeCode.isPending || changeSite.isPending;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      if (!isDiscoveryOn && isToDiscover) {
        await changeSite.mutateAsync({ params: { site }, body: { discovery: { enabled: true } } });
      }
      const replace = isTaken && isReplacing;
      const { code, expiresAt, addresses } = await makeCode.mutateAsync({
        params: { site },
        body: replace ? { name, replace } : { name },
      });
      const replaced = namesake === undefined ? null : { state: namesake.state, since: namesake.since };
      keepCode({ site, agent: name, code, expiresAt, addresses, replaced });
      navigate(`/sites/${site}/enrol/${name}`, { replace: true });
    } catch {
      // The problem is shown in the form.
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={texts.agentName}
        hint={texts.agentNameHint}
        error={nameProblem?.message}
        autoCapitalize="none"
        autoFocus
        value={ownName ?? name}
        onChange={({ target }) => setOwnName(target.value)}
      />
      {isTaken ? (
        <CheckField
          label={texts.replace}
          checked={isReplacing}
          onChange={({ target }) => setReplacing(target.checked)}
        />
      ) : null}
      {isDiscoveryOn ? null : (
        <div>
          <CheckField
            label={texts.discover}
            checked={isToDiscover}
            onChange={({ target }) => setToDiscover(target.checked)}
          />
          <p className={styles.quiet}>{texts.discoverHint}</p>
        </div>
      )}
      {error === null || nameProblem !== undefined ? null : <ProblemBox error={error} />}
      <div>
        <Button type="submit" look="primary" disabled={isBusy || name === '' || (isTaken && !isReplacing)}>
          {texts.makeLine}
        </Button>
      </div>
    </form>
  );
}
