/** The report of a month or a week: of a site, or of several, on paper too. */
import common from 'messages:common';
import texts from 'messages:report';
import { Mail, Printer } from 'lucide-react';
import { useEffect } from 'react';
import { lastPeriod, parsePeriod, periodTitle } from '../../../shared/report-period.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { usePages } from '../../api/pages.ts';
import { useRights } from '../../api/rights.ts';
import { refOfTag } from '../../api/selection.ts';
import { language } from '../../text/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useHashQuery } from '../../ui/hash-location.ts';
import { Options } from '../../ui/options.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ProblemBox } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { SiteSection } from './site-section.tsx';

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Within the 90 days of the journal. */
const LAST = { month: 2, week: 6 } as const;

export default function Report({ site }: { site: string }) {
  const [query, setQuery] = useHashQuery();
  const { may } = useRights();
  const periods = choosable();
  const period = query.get('period') ?? periods[0]?.text ?? '';
  const named = site === '' ? (query.get('sites') ?? '*') : site;
  const pages = usePages(
    'GET /reports',
    { query: { period, timeZone: TIME_ZONE, ...(named === '*' ? {} : { sites: named }) } },
    { everyMs: () => Number.POSITIVE_INFINITY },
  );
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  useEffect(() => {
    // Paper has no button for further sites.
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const sites = data?.pages.flatMap((page) => page.sites) ?? [];
  const isComplete = data !== undefined && !hasNextPage;
  const parsed = parsePeriod(period);
  const title = parsed === null ? period : periodTitle(parsed, language);
  const set = (name: string, value: string) =>
    setQuery(new URLSearchParams({ ...Object.fromEntries(query), [name]: value }), { replace: true });
  return (
    <Page
      title={texts.title}
      actions={
        <div className="flex flex-wrap gap-2 print:hidden">
          {site !== '' && may('admin') ? (
            <LinkButton to={`/sites/${site}/notifications`}>
              <Mail aria-hidden="true" />
              {texts.byMail}
            </LinkButton>
          ) : null}
          <Button look="primary" icon={<Printer />} disabled={!isComplete} onClick={() => window.print()}>
            {texts.print}
          </Button>
        </div>
      }
    >
      <search className="flex flex-wrap gap-3 min-w-0 [&>div]:flex-[0_1_280px] print:hidden">
        <SelectField label={texts.period} value={period} onChange={({ target }) => set('period', target.value)}>
          <Options
            of={withCurrent(
              periods.map(({ text, title }) => [text, title] as const),
              period,
            )}
          />
        </SelectField>
        {site === '' ? <SitesChoice value={named} onChange={(value) => set('sites', value)} /> : null}
      </search>
      <p className="text-muted">{texts.of({ period: title, zone: TIME_ZONE })}</p>
      {error === null ? null : <ProblemBox error={error} />}
      <UnreadableNote title={texts.unreadable} entries={data?.pages.flatMap((page) => page.unreadable) ?? []} />
      {isComplete && sites.length === 0 ? <Empty title={texts.noSites} /> : null}
      <div className="grid gap-8 min-w-0">
        {sites.map((one) => (
          <SiteSection key={one.site} report={one} period={title} />
        ))}
      </div>
      {isComplete || error !== null ? null : <p role="status">{common.loading}</p>}
    </Page>
  );
}

function SitesChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { sites, tags } = useKnownSites();
  const options = [
    ['*', texts.allSites],
    ...[...tags.keys()].map((tag) => [refOfTag(tag), texts.tag({ tag })] as const),
    ...sites.map(({ id, name }) => [id, name] as const),
  ] as const;
  return (
    <SelectField label={texts.sites} value={value} onChange={({ target }) => onChange(target.value)}>
      <Options of={withCurrent(options, value)} />
    </SelectField>
  );
}

/** The last complete months and weeks, and the current ones. */
function choosable() {
  const now = new Date();
  const last = (every: 'month' | 'week') =>
    Array.from({ length: LAST[every] }, (_, back) => lastPeriod(every, TIME_ZONE, now, back + 1));
  const current = (['month', 'week'] as const).map((every) => lastPeriod(every, TIME_ZONE, now, 0));
  return [...last('month'), ...last('week'), ...current].map((period) => ({
    text: period.text,
    title: periodTitle(period, language),
  }));
}

/** With the one of the address, which a link or a person may have made. */
function withCurrent(
  options: readonly (readonly [string, string])[],
  value: string,
): readonly (readonly [string, string])[] {
  return options.some(([one]) => one === value) ? options : [...options, [value, value]];
}
