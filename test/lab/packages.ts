/** Debian packages that the lab network and its tests need on the host. */
export const LAB_PACKAGES =
  'iproute2 util-linux nftables dnsmasq-base nmap traceroute arp-scan tcpdump iputils-ping avahi-daemon snmpd'.split(
    ' ',
  );

/** The programs from those packages, by which their presence is checked. */
export const LAB_PROGRAMS =
  'ip tc unshare nsenter nft dnsmasq nmap traceroute arp-scan tcpdump ping bridge avahi-daemon snmpd'.split(' ');
