/** Every group of operations. In the cloud they are spread over several functions; here one server answers all of them. */
import { adminGroup } from '../functions/admin/handlers.ts';
import { devicesGroup } from '../functions/devices/handlers.ts';
import { hooksGroup } from '../functions/hooks/handlers.ts';
import { healthGroup } from '../functions/http/health.ts';
import { specificationGroup } from '../functions/http/specification.ts';
import { jobsGroup } from '../functions/jobs/handlers.ts';
import { mcpGroup } from '../functions/mcp/endpoint.ts';
import { metricsGroup } from '../functions/metrics/handlers.ts';
import { nettoolsGroup } from '../functions/nettools/handlers.ts';
import { overviewGroup } from '../functions/overview/handlers.ts';

/** @param openapiDocument reads docs/openapi.json */
export function allGroups(openapiDocument: () => Promise<string>) {
  return [
    healthGroup,
    devicesGroup,
    nettoolsGroup,
    jobsGroup,
    adminGroup,
    hooksGroup,
    overviewGroup,
    metricsGroup,
    mcpGroup(() => import('@modelcontextprotocol/server')),
    specificationGroup(openapiDocument),
  ];
}
