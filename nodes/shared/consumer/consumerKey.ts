import { createHash, randomUUID } from 'crypto';

/** Together with the instance, the longest part, this stays within a key's 200 characters. */
const LONGEST_PART = 60;

/**
 * Identifies this process to receivers for its lifetime: of two n8n with one identity only one may
 * pull, and an n8n that was killed comes back under another name.
 */
export const HOLDER = randomUUID();

/** Identifies a consumer to receivers: one per node, and another for its tests. */
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

// Hand-written workflows may have any text as an id.
function part(id: string, longest = LONGEST_PART): string {
	if (id.length <= longest && /^[A-Za-z0-9._-]+$/.test(id)) return id;
	return createHash('sha256').update(id).digest('hex').slice(0, 32);
}
