/** Every kind of source. */
import { dnsmasq } from './kinds/dnsmasq.ts';
import { iscDhcpd } from './kinds/isc-dhcpd.ts';
import { kea } from './kinds/kea.ts';
import { keaFile } from './kinds/kea-file.ts';
import type { SourceKind } from './source.ts';

export const SOURCE_KINDS: readonly SourceKind[] = [dnsmasq, kea, keaFile, iscDhcpd];
