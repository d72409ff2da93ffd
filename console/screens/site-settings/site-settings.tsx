/** The settings of a site, its agents, and its removal. */

import common from 'messages:common';
import texts from 'messages:siteSettings';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog, useConfirmation } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { Answered } from '../../ui/state.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useRestoreSite } from '../sites/deleted-sites.tsx';
import { AgentList } from './agent-list.tsx';
import { RollOut } from './roll-out.tsx';
import {
  DiscoveryFacts,
  DiscoveryForm,
  NameForm,
  PlaceFacts,
  PlaceForm,
  TagsForm,
  UpdatesFacts,
  UpdatesForm,
} from './site-form.tsx';

export default function SiteSettings({ site: id }: { site: string }) {
  const rights = useRights();
  const site = useAnswer('GET /sites/{site}', { params: { site: id } });
  const maySeeAgents = rights.may('nettools:run');
  const agents = useAnswer('GET /sites/{site}/agents', { params: { site: id } }, { when: maySeeAgents });
  const isAdmin = rights.may('admin');
  return (
    <Page title={texts.title}>
      <Answered of={site}>
        {({ name, tags, createdAt, discovery, timeZone, reachableAt, updates }) => (
          <Sections>
            <Section
              title={texts.name}
              hint={
                <>
                  {texts.id} <code>{id}</code>, {texts.created} <Time at={createdAt} />
                </>
              }
            >
              {isAdmin ? <NameForm site={id} name={name} /> : <p data-foreign>{name}</p>}
            </Section>
            <Section title={texts.tags} hint={texts.tagsWhat}>
              {isAdmin && rights.isForAllSites ? (
                <TagsForm site={id} tags={tags} />
              ) : tags.length === 0 ? (
                <p className="text-muted">{texts.noTags}</p>
              ) : (
                <TagList tags={tags} />
              )}
            </Section>
            <Section title={texts.discovery} hint={texts.discoveryWhat}>
              {isAdmin ? <DiscoveryForm site={id} discovery={discovery} /> : <DiscoveryFacts discovery={discovery} />}
            </Section>
            {maySeeAgents ? (
              <Section
                title={texts.agents}
                hint={texts.agentsWhat}
                action={isAdmin ? <LinkButton to={`/sites/${id}/agents/new`}>{texts.addAgent}</LinkButton> : null}
              >
                <AgentList site={id} agents={agents} />
              </Section>
            ) : null}
            <Section title={texts.updates} hint={texts.updatesWhat}>
              {isAdmin ? <UpdatesForm site={id} updates={updates} /> : <UpdatesFacts updates={updates} />}
              {updates.mode === 'auto' ? <RollOut /> : null}
            </Section>
            <Section title={texts.place} hint={texts.placeWhat}>
              {isAdmin ? (
                <PlaceForm site={id} timeZone={timeZone} reachableAt={reachableAt} />
              ) : (
                <PlaceFacts timeZone={timeZone} reachableAt={reachableAt} />
              )}
            </Section>
            {isAdmin && rights.isForAllSites ? (
              <Section title={texts.remove} hint={texts.removeWhat} isDanger>
                <RemoveSite site={id} name={name} agents={agents.data?.agents.length ?? null} />
              </Section>
            ) : null}
          </Sections>
        )}
      </Answered>
    </Page>
  );
}

interface Props {
  site: string;
  name: string;
  /** Number of its agents; null if unknown. */
  agents: number | null;
}

/** Removes the site once its name is typed, and offers to restore it. */
function RemoveSite(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div>
        <Button look="danger" onClick={() => setOpen(true)}>
          {texts.removeButton}
        </Button>
      </div>
      {isOpen ? <RemoveDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RemoveDialog({ site, name, agents, onClose }: Props & { onClose: () => void }) {
  const [, navigate] = useLocation();
  const rights = useRights();
  const restore = useRestoreSite();
  const [typed, setTyped] = useState('');
  const form = useConfirmation({
    send: () => ask('DELETE /sites/{site}', { params: { site }, query: { confirm: name } }),
    onDone() {
      showToast(texts.removed({ name }), { label: common.undo, run: () => void restore({ id: site, name }) });
      navigate('/');
    },
  });
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { limit: 1 } },
    { everyMs: 0, when: rights.may('devices:read') && !form.isPending },
  );
  return (
    <FormDialog
      form={form}
      title={texts.removeTitle({ name })}
      submit={texts.remove}
      look="danger"
      isReady={typed === name}
      onClose={onClose}
    >
      <p>
        {data?.total === undefined || agents === null
          ? texts.removeWhat
          : texts.removeCount({ devices: data.total, agents })}
      </p>
      <TextField label={texts.confirm({ name })} value={typed} onChange={({ target }) => setTyped(target.value)} />
    </FormDialog>
  );
}
