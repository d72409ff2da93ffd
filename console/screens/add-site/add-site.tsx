/** A new site; its first agent comes next. */
import { useLocation } from 'wouter';
import { admin } from '../../../shared/api/admin.ts';
import { ask } from '../../api/client.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormBox, useForm } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { siteIdFrom } from './site-id.ts';
import { texts } from './texts.ts';

export default function AddSite() {
  const [, navigate] = useLocation();
  const rights = useRights();
  const form = useForm({
    first: ({ name = '' }: { name?: string }) => ({ name: '', id: siteIdFrom(name) }),
    schema: admin.addSite.body,
    body: ({ name, id }) => ({ id: id.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) }),
    send: (body) => ask('POST /sites', { body }),
    onDone: ({ id }) => navigate(`/sites/${id}/agents/new`, { replace: true }),
  });
  // Empty: the token is not known yet.
  if (rights.tokenId === '') return null;
  if (!rights.may('admin') || !rights.isForAllSites) return <Empty title={texts.needsAllSites} />;
  return (
    <Page title={texts.title}>
      <Card>
        <p className="muted">{texts.intro}</p>
        <FormBox
          form={form}
          actions={
            <div>
              <Button type="submit" look="primary" disabled={form.isPending}>
                {texts.submit}
              </Button>
            </div>
          }
        >
          <TextField label={texts.name} hint={texts.nameHint} maxLength={100} autoFocus {...form.text('name')} />
          <TextField label={texts.id} hint={texts.idHint} autoCapitalize="none" {...form.text('id')} />
        </FormBox>
      </Card>
    </Page>
  );
}
