/** Joins again with the MAC in the second argument, as the host in the first one, and ends when it has an address. */
import { execFileSync } from 'node:child_process';
import { askForAddress } from './dhcp-client.ts';
import { EVERYBODY } from './plan.ts';

const [name, mac = ''] = process.argv.slice(2);
const host = EVERYBODY.find((each) => each.name === name);
if (host === undefined) throw new Error(`no host ${name}`);
const run = (script: string) => execFileSync('sh', ['-ec', script], { stdio: ['ignore', 'ignore', 'inherit'] });

run(`ip link set eth0 down; ip addr flush dev eth0; ip link set eth0 address ${mac} up
ip route add 255.255.255.255 dev eth0`);
run(`ip addr add ${await askForAddress({ ...host, mac })}/24 dev eth0`);
