// What the editor does when a user opens a resource locator's list, or types into its search.
import { LoadOptionsContext } from 'n8n-core';
import type { INode, INodeListSearchResult, INodeType } from 'n8n-workflow';

import { additionalDataFor, workflowOf, type Credentials } from './n8n-core.ts';

/** The method behind the list of the node's field. */
export function searchOf({ description }: INodeType, fieldName: string): string {
	const field = description.properties.find(({ name }) => name === fieldName);
	return field?.modes?.[0].typeOptions?.searchListMethod ?? 'none';
}

/** Runs one of the node's `listSearch` methods. */
export async function searchList(
	nodeType: INodeType,
	method: string,
	credentials: Credentials,
	{ filter, paginationToken }: { filter?: string; paginationToken?: string } = {},
): Promise<INodeListSearchResult> {
	const search = nodeType.methods?.listSearch?.[method];
	if (!search) throw new Error(`The node has no list search "${method}".`);
	const workflow = workflowOf(nodeType, { parameters: {}, credentials }, []);
	const node = workflow.getNode('Under Test') as INode;
	const context = new LoadOptionsContext(workflow, node, additionalDataFor(credentials), '');
	return await search.call(context, filter, paginationToken);
}
