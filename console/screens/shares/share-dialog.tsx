/** Makes a link that shows a site to anyone who has it. */
import common from 'messages:common';
import texts from 'messages:shares';
import { useState } from 'react';
import { shareLink } from '../../../shared/console-link.ts';
import { addressesToOffer } from '../../api/base-address.ts';
import type { AnswerOf } from '../../api/client.ts';
import { BASE_URL } from '../../api/session.ts';
import { AddressChoice } from '../../ui/address-choice.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';

type View = keyof typeof texts.views;
type Named = keyof typeof texts.named;
type Days = keyof typeof texts.days;

const DAY_MS = 86_400_000;

interface Props {
  /** The id of the site. */
  site: string;
  /** Its name. */
  name: string;
  view: View;
  onClose: () => void;
}

export function ShareDialog({ site, name, view, onClose }: Props) {
  const [made, setMade] = useState<AnswerOf<'POST /shares'> | null>(null);
  const form = useForm({
    route: 'POST /shares',
    first: { name, view, devices: 'favorites' as Named, addresses: false, expiresAt: '30' as Days },
    says: { name: texts.nameMissing },
    body: ({ expiresAt, ...wanted }) => ({
      ...wanted,
      name: wanted.name.trim(),
      of: site,
      expiresAt: new Date(Date.now() + Number(expiresAt) * DAY_MS).toISOString(),
    }),
    onDone: setMade,
  });
  if (made !== null) return <Made made={made} onClose={onClose} />;
  return (
    <FormDialog form={form} title={texts.title} submit={texts.submit} onClose={onClose}>
      <p>{texts.what}</p>
      <TextField label={texts.name} maxLength={100} {...form.text('name')} />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] gap-3">
        <SelectField label={texts.view} {...form.text('view')}>
          <Options of={texts.views} />
        </SelectField>
        {form.values.view === 'status' ? (
          <SelectField label={texts.devices} {...form.text('devices')}>
            <Options of={texts.named} />
          </SelectField>
        ) : null}
        <SelectField label={texts.expiry} {...form.text('expiresAt')}>
          <Options of={texts.days} />
        </SelectField>
      </div>
      <CheckField label={texts.addresses} {...form.check('addresses')} />
    </FormDialog>
  );
}

function Made({ made: { name, token, addresses }, onClose }: { made: AnswerOf<'POST /shares'>; onClose: () => void }) {
  const offered = addressesToOffer(BASE_URL, addresses);
  const [address, setAddress] = useState<string>(offered[0]);
  return (
    <Dialog title={texts.madeTitle({ name })} onClose={onClose}>
      <p role="status">
        <strong>{texts.madeOnce}</strong>
      </p>
      <AddressChoice addresses={offered} value={address} onChange={setAddress} />
      <CopyLine label={texts.link} text={shareLink(address, token)} />
      <p className="text-muted">{texts.until}</p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
