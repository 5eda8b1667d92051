import { createHash } from 'crypto';

/** With the instance, the longest part, this stays within the 200 characters of a key. */
const LONGEST_PART = 60;

/** Names a consumer to receivers: one of each node, and one more for its tests (design § 7). */
export function consumerKey(
	instanceId: string,
	workflowId: string,
	nodeId: string,
	kind: 'production' | 'test',
): string {
	return [instanceName(instanceId), part(workflowId), part(nodeId), kind].join('~');
}

/** The n8n that a consumer, or a wait for outcomes, belongs to. */
export function instanceName(instanceId: string): string {
	return part(instanceId, 64);
}

// Workflows that somebody wrote by hand may have any text for an id.
function part(id: string, longest = LONGEST_PART): string {
	if (id.length <= longest && /^[A-Za-z0-9._-]+$/.test(id)) return id;
	return createHash('sha256').update(id).digest('hex').slice(0, 32);
}
