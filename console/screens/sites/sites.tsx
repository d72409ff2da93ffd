/** Every site that the token may use. */
import { useDeferredValue, useRef, useState } from 'react';
import { useRights } from '../../api/rights.ts';
import { common } from '../../text/texts.ts';
import { LinkButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { useShortcut } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { matches, needsAttention, sumOf } from './attention.ts';
import { SiteRow } from './site-row.tsx';
import styles from './sites.module.css';
import { texts } from './texts.ts';
import { type Overview, useOverview } from './use-overview.ts';

/** Up to this many can be seen at once, and need no search. */
const HANDFUL = 5;

export default function Sites() {
  const overview = useOverview();
  const rights = useRights();
  const mayAdd = rights.may('admin') && rights.isForAllSites;
  const add = mayAdd ? (
    <LinkButton to="/add-site" look="primary">
      {texts.add}
    </LinkButton>
  ) : undefined;
  return (
    <Page title={texts.title} actions={overview.data?.sites.length === 0 ? undefined : add}>
      <Answered of={overview}>
        {(answer) =>
          answer.sites.length === 0 && answer.unreadable.length === 0 ? (
            <Empty title={texts.none}>
              <p>{mayAdd ? texts.noneWhy : texts.noneForToken}</p>
              {add}
            </Empty>
          ) : (
            <SiteList overview={answer} mayAdminister={rights.may('admin')} />
          )
        }
      </Answered>
    </Page>
  );
}

function SiteList({ overview, mayAdminister }: { overview: Overview; mayAdminister: boolean }) {
  const { sites, unreadable } = overview;
  const [text, setText] = useState('');
  const [isOnlyUrgent, setOnlyUrgent] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const hasSearch = sites.length > HANDFUL;
  useShortcut('/', texts.search, () => search.current?.focus(), { when: hasSearch });

  const wanted = useDeferredValue(hasSearch ? text : '');
  const isUrgentWanted = hasSearch && isOnlyUrgent;
  const shown = sites.filter((site) => matches(site, wanted) && (!isUrgentWanted || needsAttention(site)));
  const { devices, down, unwatched } = sumOf(shown);
  const sums = [
    texts.shown(shown.length, sites.length),
    common.devices(devices),
    ...(down === 0 ? [] : [texts.down(down)]),
    ...(unwatched === 0 ? [] : [texts.unwatched(unwatched)]),
  ];
  return (
    <>
      {hasSearch ? (
        <search className={styles.search}>
          <TextField
            ref={search}
            type="search"
            label={texts.search}
            isLabelHidden
            placeholder={texts.search}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <CheckField
            label={texts.needsAttention}
            checked={isOnlyUrgent}
            onChange={({ target }) => setOnlyUrgent(target.checked)}
          />
        </search>
      ) : null}
      {sites.length > 1 ? (
        <p className={styles.sums} role={hasSearch ? 'status' : undefined}>
          {sums.join(' · ')}
        </p>
      ) : null}
      {shown.length === 0 && sites.length > 0 ? <Empty title={texts.noMatch} /> : null}
      {shown.length === 0 ? null : (
        <ul className={styles.list} aria-label={texts.title}>
          {shown.map((site) => (
            <SiteRow key={site.id} site={site} mayAdminister={mayAdminister} />
          ))}
        </ul>
      )}
      <UnreadableNote title={texts.unreadable} entries={unreadable} />
    </>
  );
}
