/** The screens of devices and of the map. */
import type { Page } from 'playwright-core';
import { chosen, opened, type Screen } from './screen.ts';

const DEVICE: Screen['at'] = ({ device }) => `/sites/home/devices/${encodeURIComponent(device)}`;

/** Gives the focus to a device of the list that is selected by the Space bar. */
async function focusDevice(page: Page): Promise<void> {
  await page.getByRole('row', { name: /\bap-attic\b/ }).focus();
}

/** A file of which some lines cannot be taken. */
const FAULTY_CSV = [
  'devName,devMac,devLastIP,devParentMAC',
  'tablet,02:00:5E:00:01:F1,192.168.178.241,not a mac',
  'broken,no mac at all,192.168.178.242,',
].join('\n');

export const DEVICE_SCREENS: readonly Screen[] = [
  { name: 'devices', at: () => '/sites/home/devices' },
  { name: 'deleted-devices', at: () => '/sites/home/devices?status=deleted' },
  { name: 'devices-as-imported', at: () => '/sites/workshop/devices' },
  {
    name: 'filtered-devices',
    at: () => '/sites/home/devices?text=nothing-is-called-so',
    isComplete: (page) => page.getByRole('heading', { name: 'No devices match the filter' }).waitFor(),
  },
  opened('device-in-place', '/sites/home/devices', async (page) => {
    await focusDevice(page);
    await page.keyboard.press('e');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
  }),
  opened('edit-devices', '/sites/home/devices', async (page) => {
    await focusDevice(page);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog', { name: 'Edit 1 device' }).waitFor();
  }),
  opened('delete-devices', '/sites/home/devices', async (page) => {
    await focusDevice(page);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete 1 device?' }).waitFor();
  }),
  opened('import-devices', '/sites/home/devices', async (page) => {
    await chosen('More', 'Import')(page);
    const buffer = Buffer.from(FAULTY_CSV);
    await page.getByLabel('CSV file').setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('region', { name: 'Skipped lines' }).waitFor();
  }),
  opened('export-devices', '/sites/home/devices', async (page) => {
    await chosen('More', 'Export')(page);
    await page.getByRole('dialog', { name: 'Export devices' }).waitFor();
  }),
  opened('device-beside', '/sites/home/devices?by=location', async (page) => {
    await page.getByRole('row', { name: 'gateway' }).getByText('192.168.178.1').click();
    await page.getByRole('complementary', { name: 'Device gateway' }).getByText('online').first().waitFor();
  }),
  { name: 'no-devices', at: () => '/sites/holiday-flat/devices' },
  { name: 'device', at: DEVICE },
  opened('device-as-table', DEVICE, async (page) => {
    await page.getByRole('button', { name: 'Table', exact: true }).first().click();
    await page.getByRole('row').nth(1).waitFor();
  }),
  opened('edit-device', DEVICE, async (page) => {
    await page.getByRole('button', { name: 'Rename' }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Comments').waitFor();
  }),
  opened('delete-device', DEVICE, async (page) => {
    await chosen('More actions', 'Delete')(page);
    await page.getByText(/and its history\.$/).waitFor();
  }),
  { name: 'device-ports', at: (ids) => `${DEVICE(ids)}?tab=ports` },
  { name: 'device-runs', at: (ids) => `${DEVICE(ids)}?tab=runs` },
  { name: 'no-device', at: () => '/sites/home/devices/00:00:00:00:00:01' },
  opened('why-it-is-that', DEVICE, async (page) => {
    const identity = page.getByRole('region', { name: 'Identification' });
    await identity.getByText('Evidence').first().click();
    await identity.getByRole('list', { name: /observations$/ }).waitFor();
  }),
  { name: 'same', at: () => '/sites/home/same', isComplete: (page) => page.getByText('oma-pocket').first().waitFor() },
  { name: 'joined', at: ({ joined }) => `/sites/office/devices/${encodeURIComponent(joined)}` },
  { name: 'map', at: () => '/sites/home/map' },
  opened('map-found', '/sites/home/map?view=tree', async (page) => {
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('camera');
    await page.getByText(/\d found$/).waitFor();
  }),
  opened('move-device', '/sites/home/map?view=tree', async (page) => {
    await page.getByRole('treeitem', { name: /^nas-1\b/ }).focus();
    await page.keyboard.press('m');
    await page.getByRole('dialog', { name: 'Move nas-1' }).waitFor();
  }),
  { name: 'map-of-networks', at: () => '/sites/home/map?view=lanes' },
  opened('map-as-it-was', '/sites/home/map?view=tree', async (page) => {
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('slider').waitFor();
  }),
  opened('proposed-places', '/sites/home/map', async (page) => {
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'Accept all 3' }).waitFor();
  }),
];
