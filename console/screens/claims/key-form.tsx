/** A key for many hosts: how many, for how long, from where, and what becomes of them; and its line, which is shown once. */
import { useState } from 'react';
import { claims } from '../../../shared/api/claims.ts';
import { APPROVALS } from '../../../shared/words.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckGroup, RadioField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { InstallCard, LineCard } from '../enrol/host-steps.tsx';
import styles from './claims.module.css';
import { texts } from './texts.ts';

type Made = AnswerOf<'POST /claim-keys'>;
type Days = keyof typeof texts.daysOf;

interface Values {
  name: string;
  uses: string;
  days: Days;
  approve: (typeof APPROVALS)[number];
  isOwnSite: boolean;
  site: string;
  tags: readonly string[];
  from: string;
  networks: string;
}

const DAY_MS = 86_400_000;
/** The service's clock may be some seconds behind: 30 days are the most. */
const MARGIN_MS = 60_000;

export function KeyForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { sites } = useKnownSites();
  const { isForAllSites } = useRights();
  const [now] = useState(Date.now);
  const form = useForm({
    first: {
      name: '',
      uses: '20',
      days: '7',
      approve: 'by hand',
      isOwnSite: isForAllSites,
      site: sites[0]?.id ?? '',
      tags: [],
      from: '',
      networks: '',
    } as Values,
    schema: claims.createClaimKey.body,
    says: {
      name: texts.nameMissing,
      uses: texts.usesWrong,
      site: texts.siteMissing,
      from: texts.networksWrong,
      networks: texts.networksWrong,
    },
    body: ({ name, uses, days, approve, isOwnSite, site, tags, from, networks }) => ({
      name: name.trim(),
      uses: Number(uses.trim() === '' ? Number.NaN : uses),
      expiresAt: new Date(now + Number(days) * DAY_MS - MARGIN_MS).toISOString(),
      approve,
      ...(isOwnSite ? { siteFrom: 'host name' as const, tags: [...tags] } : { site }),
      from: lines(from),
      networks: lines(networks),
    }),
    send: (body) => ask('POST /claim-keys', { body }),
    onDone: onMade,
  });
  const { approve, isOwnSite } = form.values;
  return (
    <FormDialog form={form} title={texts.make} submit={texts.make} onClose={onClose}>
      <TextField label={texts.name} hint={texts.nameHint} maxLength={100} {...form.text('name')} />
      <div className={styles.two}>
        <TextField label={texts.uses} inputMode="numeric" {...form.text('uses')} />
        <SelectField label={texts.days} {...form.text('days')}>
          {Object.entries(texts.daysOf).map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
        </SelectField>
      </div>
      <CheckGroup label={texts.becomes}>
        {isForAllSites ? (
          <RadioField
            name="where"
            label={texts.eachItsSite}
            checked={isOwnSite}
            onChange={() => form.set({ isOwnSite: true })}
          />
        ) : null}
        <RadioField
          name="where"
          label={texts.allInOne}
          checked={!isOwnSite}
          onChange={() => form.set({ isOwnSite: false })}
        />
      </CheckGroup>
      {isOwnSite ? (
        <TagsField label={texts.tags} hint={texts.tagsHint} {...form.list('tags')} />
      ) : (
        <SelectField label={texts.site} {...form.text('site')}>
          {sites.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <CheckGroup label={texts.approval}>
        {APPROVALS.map((one) => (
          <RadioField
            key={one}
            name="approve"
            label={texts.approvals[one]}
            checked={approve === one}
            onChange={() => form.set({ approve: one })}
          />
        ))}
      </CheckGroup>
      <details className={styles.fold}>
        <summary>{texts.limits}</summary>
        <div className={styles.two}>
          <TextArea label={texts.fromNetworks} hint={texts.networksHint} spellCheck={false} {...form.text('from')} />
          <TextArea label={texts.ofNetworks} hint={texts.networksHint} spellCheck={false} {...form.text('networks')} />
        </div>
      </details>
    </FormDialog>
  );
}

function lines(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}

export function MadeKey({ made, onClose }: { made: Made; onClose: () => void }) {
  const { name, secret, expiresAt, addresses, release, uses } = made;
  const version = release?.version ?? null;
  return (
    <Dialog title={texts.madeTitle(name)} onClose={onClose} isWide>
      <p role="status">
        <strong>{texts.madeOnce}</strong> {texts.madeWhat(uses)}
      </p>
      {version === null ? <InstallCard /> : null}
      <LineCard made={{ code: secret, expiresAt, addresses, version }} until={texts.worksUntil} />
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
