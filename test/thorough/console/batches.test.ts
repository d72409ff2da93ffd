/** A run at many sites: started from a tool, watched live, compared, and stopped. */
import { expect, test } from 'vitest';
import { agentId } from '../../../shared/identity.ts';
import { describeConsole, startConsoleApi } from '../../console/describe-console.ts';
import { watch } from '../../demo/watched.ts';
import { startObedientAgent } from '../../support/enrolled-agent.ts';

describeConsole('runs at many sites', startConsoleApi, (ui) => {
  test('each site has its line as it ends, one without an agent says why, and what goes on is stopped', async () => {
    await using _home = await startObedientAgent(ui.lanreach, 'home', 'main');
    const empty = await ui.lanreach.addSite();
    const silent = await ui.lanreach.addSite();
    for (const site of [empty, silent]) {
      await ui.lanreach.request('PATCH', `/sites/${site}`, { body: { tags: ['fleet'] } });
    }
    // It is connected, and never answers.
    await watch(ui.lanreach, agentId(silent, 'main'), '192.168.77.0/24', 'silent');
    const { page } = await ui.open('/sites/home/tools/interfaces');
    await page.getByRole('link', { name: 'Run across the fleet' }).click();
    await page.getByRole('heading', { name: 'New run', level: 1 }).waitFor();
    expect(await page.getByLabel('Tool', { exact: true }).inputValue()).toBe('interfaces');
    expect(await page.getByRole('checkbox', { name: /^Home/ }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^fleet/ }).press('Space');
    await page.getByRole('button', { name: 'Run' }).press('Enter');

    const lines = page.getByRole('region', { name: 'Results' }).getByRole('listitem');
    await lines.filter({ hasText: 'Home' }).getByText('succeeded').waitFor();
    await lines.filter({ hasText: empty }).getByText('no agent connected').waitFor();
    const waiting = lines.filter({ hasText: silent });
    await waiting.getByText(/^(?:starting|waiting|running)$/).waitFor();
    await page.getByText('Finished at 2 of 3 sites').waitFor();
    await page.getByRole('region', { name: 'Comparison' }).getByText('no agent connected').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop at all sites?' });
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped manually').waitFor();

    // One part alone, and from there the run of a site with its whole result.
    await page.getByRole('link', { name: /^Succeeded/ }).click();
    await expect.poll(() => lines.count()).toBe(1);
    await lines.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Interfaces', level: 1 }).waitFor();
    expect(page.url()).toContain('/sites/home/runs/home.');
    await page.evaluate(`location.hash = '/batches'`);
    await page
      .getByRole('row')
      .filter({ hasText: 'Interfaces' })
      .getByText(/^stopp(?:ing|ed)$/)
      .waitFor();
  });
});
