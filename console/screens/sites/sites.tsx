/** Every site that the token may use. */
import { Link } from 'wouter';
import { useAnswer } from '../../api/queries.ts';
import { texts } from '../../texts.ts';
import { Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';

export default function Sites() {
  const sites = useAnswer('GET /sites');
  return (
    <Page title={texts.sites.title}>
      <Answered of={sites}>
        {({ sites: all }) => (
          <ul>
            {all.map(({ id, name }) => (
              <li key={id}>
                <Link href={`/sites/${id}/devices`}>{name}</Link>
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </Page>
  );
}
