/** Every kind of source. */
import { adguard } from './kinds/adguard.ts';
import { dnsmasq } from './kinds/dnsmasq.ts';
import { docker } from './kinds/docker.ts';
import { fritzbox } from './kinds/fritzbox.ts';
import { iscDhcpd } from './kinds/isc-dhcpd.ts';
import { kea } from './kinds/kea.ts';
import { keaFile } from './kinds/kea-file.ts';
import { mikrotik } from './kinds/mikrotik.ts';
import { openwrt } from './kinds/openwrt.ts';
import { opnsense } from './kinds/opnsense.ts';
import { pihole } from './kinds/pihole.ts';
import { proxmox } from './kinds/proxmox.ts';
import { unifi } from './kinds/unifi.ts';
import { unifiLegacy } from './kinds/unifi-legacy.ts';
import type { SourceKind } from './source.ts';

export const SOURCE_KINDS: readonly SourceKind[] = [
  dnsmasq,
  kea,
  keaFile,
  iscDhcpd,
  opnsense,
  unifi,
  unifiLegacy,
  fritzbox,
  mikrotik,
  openwrt,
  pihole,
  adguard,
  proxmox,
  docker,
];
