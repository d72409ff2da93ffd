import { expect, test } from 'vitest';
import { SiteId } from '../shared/identity.ts';
import { startScreen } from './start-screen.ts';

const URL = 'http://127.0.0.1:8787';

const SYSTEM = {
  url: URL,
  token: { token: 'lr_secret', isNew: false, file: '/srv/lan/.lanreach/api-token' },
  site: SiteId.parse('home'),
  discovery: { enabled: false, networks: 'auto' as const, intervalSeconds: 60 },
  dataFolder: '/srv/lan/.lanreach',
};
const ABOUT = {
  isOnline: true,
  seconds: 3.94,
  urls: [URL],
  isTerminal: false,
  folder: '/srv/lan',
  client: 'npx lanreach',
};

test('the link that signs in comes first, for each of the addresses, and the token stands nowhere else', () => {
  const urls = ['http://192.168.1.10:8787', URL];
  const screen = startScreen(
    { ...SYSTEM, token: { ...SYSTEM.token, isNew: true } },
    { ...ABOUT, urls, isTerminal: true },
  );
  expect(screen).toContain(
    [
      'Ready after 3.9 s.',
      '',
      '  open      http://192.168.1.10:8787/console/#token=lr_secret',
      `            ${URL}/console/#token=lr_secret`,
      '            The link signs in: keep it to yourself.',
      '',
      `  URL       ${URL}`,
      '  token in  .lanreach/api-token',
      '  LAN       not watched for devices yet',
      '',
    ].join('\n'),
  );
  expect(screen.split('lr_secret')).toHaveLength(urls.length + 1);
  const alone = startScreen(SYSTEM, { ...ABOUT, isOnline: false });
  expect(alone).toMatch(/^Started after 3\.9 s, but the agent is not connected yet/m);
  expect(alone).not.toContain('Ready');
});

test('output that may be stored contains no token', () => {
  const screen = startScreen(SYSTEM, ABOUT);
  expect(screen).not.toContain('lr_secret');
  expect(screen).toContain(
    `  open      ${URL}/console/\n            Sign in by: npx lanreach open, or with the token in`,
  );
  const own = startScreen({ ...SYSTEM, token: { ...SYSTEM.token, file: null } }, { ...ABOUT, isTerminal: true });
  expect(own).not.toContain('lr_secret');
  expect(own).toContain('Sign in with the token in API_TOKEN.');
});

test('three lines say what to do next, and with which settings where they are not the usual ones', () => {
  expect(startScreen(SYSTEM, ABOUT)).toContain(
    [
      'Next, in a second terminal in this folder:',
      '  npx lanreach open                    the console, signed in',
      '  npx lanreach site discover home on   find the devices of this LAN',
      '  npx lanreach --help                  everything else',
      '',
      'Ctrl-C stops everything.',
    ].join('\n'),
  );
  const watched = { ...SYSTEM, discovery: { ...SYSTEM.discovery, enabled: true } };
  expect(startScreen(watched, ABOUT)).toContain('  npx lanreach devices list   the devices that were found');
  const elsewhere = { ...SYSTEM, url: 'http://127.0.0.1:9000', dataFolder: '/srv/my data' };
  const token = { ...SYSTEM.token, file: '/srv/my data/api-token' };
  expect(startScreen({ ...elsewhere, token }, ABOUT)).toContain(
    "in this folder, after: export LANREACH_URL=http://127.0.0.1:9000 LANREACH_DATA='../my data'\n",
  );
  expect(startScreen({ ...SYSTEM, token: { ...token, file: null } }, ABOUT)).toContain(
    'after: export LANREACH_TOKEN="$API_TOKEN"\n',
  );
});

test('a service tells whole paths, and the command line of its package', () => {
  const data = { ...SYSTEM, dataFolder: '/var/lib/lanreach-server' };
  const token = { ...SYSTEM.token, file: '/var/lib/lanreach-server/api-token' };
  const screen = startScreen({ ...data, token }, { ...ABOUT, folder: '/', client: 'lanreach' });
  expect(screen).toContain('  token in  /var/lib/lanreach-server/api-token\n');
  expect(screen).toContain('after: export LANREACH_DATA=/var/lib/lanreach-server\n  lanreach open  ');
});
