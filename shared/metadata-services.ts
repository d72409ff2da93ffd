import { type IpRange, range } from './network.ts';

/**
 * Where clouds serve metadata to a machine, often with credentials. No tool and no hook reaches these addresses. The
 * source is the documentation of the cloud, or that of cloud-init on its data source where it is named.
 */
export const METADATA_SERVICES: readonly IpRange[] = [
  '169.254.169.254', // Amazon EC2, Google, Azure, OpenStack, Oracle, DigitalOcean, Hetzner and most others
  'fd00:ec2::254', // Amazon EC2, "Access instance metadata for an EC2 instance"
  '169.254.170.2', // Amazon ECS, "Task IAM role"
  '169.254.170.23', // Amazon EKS, "Set up the Amazon EKS Pod Identity Agent"
  'fd00:ec2::23',
  'fd20:ce::254', // Google Compute Engine, "About VM metadata"
  '168.63.129.16', // Azure, "What is IP address 168.63.129.16?" (WireServer)
  'fe80::a9fe:a9fe', // OpenStack Nova, "Metadata service"
  'fd00:c1::a9fe:a9fe', // Oracle Cloud, the SDK's oci/auth/signers
  '192.0.0.192', // Oracle Cloud Classic
  '100.100.100.200', // Alibaba Cloud, "View instance metadata"
  'fd00:100::100:200', // Alibaba Cloud, cloud-init
  '100.96.0.96', // Volcengine, its Terraform provider and SDKs
  '169.254.0.23', // Tencent Cloud, metadata.tencentyun.com
  '169.254.42.42', // Scaleway, cloud-init
  'fd00:42::42',
  'fd00:a9fe:a9fe::1', // Akamai (Linode), cloud-init
].map(range);
