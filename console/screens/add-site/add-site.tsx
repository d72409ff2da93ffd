/** Adds a site and makes the enrolment command of its first agent. */
import texts from 'messages:addSite';
import { useLocation } from 'wouter';
import { ask } from '../../api/client.ts';
import { useRights } from '../../api/rights.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormBox, SubmitAction, useForm } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { keepCode } from '../enrol/codes.ts';
import { freeName } from '../enrol/free-name.ts';
import { DeletedSites } from '../sites/deleted-sites.tsx';
import { siteIdFrom } from './site-id.ts';

export default function AddSite() {
  const [, navigate] = useLocation();
  const rights = useRights();
  const form = useForm({
    route: 'POST /sites',
    first: ({ name = '' }: { name?: string }) => ({ name: '', id: siteIdFrom(name), isToWatch: true }),
    body: ({ name, id }) => ({ id: id.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) }),
    async send(body): Promise<{ id: string; hasLine: boolean }> {
      const { id } = await ask('POST /sites', { body });
      // The site exists now: the next page shows a later failure and retries it.
      return { id, hasLine: await makeLine(id, form.values.isToWatch).catch(() => false) };
    },
    onDone: ({ id, hasLine }) =>
      navigate(hasLine ? `/sites/${id}/enrol/${FIRST_AGENT}` : `/sites/${id}/agents/new`, { replace: true }),
  });
  // Empty: not loaded.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin') || !rights.isForAllSites) return <Empty title={texts.needsAllSites} />;
  return (
    <Page title={texts.title}>
      <div className="grid gap-4 max-w-180">
        <Card>
          <p className="text-muted">{texts.intro}</p>
          <FormBox form={form} actions={<SubmitAction disabled={form.isPending}>{texts.submit}</SubmitAction>}>
            <TextField label={texts.name} hint={texts.nameHint} maxLength={100} autoFocus {...form.text('name')} />
            <TextField label={texts.id} hint={texts.idHint} autoCapitalize="none" {...form.text('id')} />
            <CheckField label={texts.watch} hint={texts.watchHint} {...form.check('isToWatch')} />
          </FormBox>
        </Card>
        <DeletedSites />
      </div>
    </Page>
  );
}

const FIRST_AGENT = freeName([]);
/** For schedules: the site is usually in the zone of the user. */
const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

async function makeLine(site: string, isToWatch: boolean): Promise<boolean> {
  const watched = isToWatch ? { discovery: { enabled: true } } : {};
  await ask('PATCH /sites/{site}', { params: { site }, body: { timeZone: OWN_ZONE, ...watched } });
  const body = { name: FIRST_AGENT };
  const { code, expiresAt, addresses, release } = await ask('POST /sites/{site}/agents', { params: { site }, body });
  const version = release?.version ?? null;
  keepCode({ site, agent: FIRST_AGENT, code, expiresAt, addresses, version, replaced: null });
  return true;
}
