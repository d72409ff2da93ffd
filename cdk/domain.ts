/** A custom domain name for the API. */
import { CfnOutput } from 'aws-cdk-lib';
import {
  CfnBasePathMapping,
  type CfnDomainName,
  DomainName,
  EndpointType,
  SecurityPolicy,
  type Stage,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';

interface OwnDomainProps {
  stage: Stage;
  domainName: string;
  /** In the same region as the gateway. */
  certificateArn: string;
  /** The zone for the DNS record; without it, outputs describe the record. */
  hostedZoneId?: string | undefined;
}

export class OwnDomain extends Construct {
  constructor(scope: Construct, id: string, { stage, domainName, certificateArn, hostedZoneId }: OwnDomainProps) {
    super(scope, id);
    const domain = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2, // The minimum version; 1.3 is supported too.
    });
    // The construct has no property for IPv6 beside IPv4.
    (domain.node.defaultChild as CfnDomainName).addPropertyOverride('EndpointConfiguration.IpAddressType', 'dualstack');
    new CfnBasePathMapping(this, 'Mapping', {
      domainName: domain.domainName,
      restApiId: stage.restApi.restApiId,
      stage: stage.stageName,
    });
    // Works before the DNS record of the domain has propagated.
    output(this, 'GatewayUrl', stage.urlForPath('/'), 'The API under its name at the gateway');
    if (hostedZoneId !== undefined) {
      const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName: domainName });
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      new ARecord(this, 'Record', { zone, target });
      new AaaaRecord(this, 'RecordIpv6', { zone, target });
      return;
    }
    output(
      this,
      'DnsTarget',
      domain.domainNameAliasDomainName,
      `The record to make: ${domainName} CNAME this name; in Route 53 rather alias records, A and AAAA`,
    );
    output(this, 'DnsTargetZone', domain.domainNameAliasHostedZoneId, 'Zone of that name, for an alias record');
  }
}

function output(scope: Construct, name: string, value: string, description: string): void {
  new CfnOutput(scope, name, { value, description }).overrideLogicalId(name);
}
