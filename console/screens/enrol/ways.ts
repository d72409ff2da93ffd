/** The ways to get an agent onto a host, each with the lines to run there. */
import { enrolLine, installLine, packageLine, shellWord } from '../../../shared/install-line.ts';

const WAYS = ['linux', 'container', 'npm', 'proxmox'] as const;
export type Way = (typeof WAYS)[number];

/** @param version of the agent that the service offers */
export function linesOf(way: Way, { code, url, version }: { code: string; url: string; version: string }): string[] {
  if (way === 'linux' || way === 'proxmox') return [installLine(code, url)];
  if (way === 'npm') {
    const tarball = `lanreach-agent-${version}.tgz`;
    const install = `npm install --global ./${shellWord(tarball)}`;
    return [packageLine(code, url, tarball), install, enrolLine(code, url), 'lanreach-agent run'];
  }
  const volume = '--volume lanreach-agent:/var/lib/lanreach-agent lanreach-agent';
  return [
    'podman build --file scripts/packaging/Containerfile --tag lanreach-agent .',
    `podman run --rm --network host ${volume}${enrolLine(code, url).replace(/^lanreach-agent/, '')}`,
    `podman run --detach --name lanreach-agent --restart always --network host --cap-add NET_RAW ${volume}`,
  ];
}
