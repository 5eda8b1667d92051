import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeCredentialDescription,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/**
 * A credential, and what nodes call it in the editor and in errors. A node has both in its description, too:
 * n8n's linter reads no constants.
 */
export type NodeCredential = Required<Pick<INodeCredentialDescription, 'name' | 'displayName'>>;

export const serviceCredential: NodeCredential = {
	name: 'registeredDeliveryApi',
	displayName: 'Delivery Service',
};

export const receiverCredential: NodeCredential = {
	name: 'registeredDeliveryReceiverApi',
	displayName: 'Webhook Receiver',
};

/** n8n's own API. */
export const n8nCredential: NodeCredential = {
	name: 'registeredDeliveryN8nApi',
	displayName: 'This n8n',
};

interface CredentialContext {
	getNode(): INode;
	getCredentials<T extends object = ICredentialDataDecryptedObject>(type: string): Promise<T>;
}

/**
 * What the user chose. n8n's own error for a missing one names its internal type.
 *
 * @throws NodeOperationError when nothing was chosen
 */
export async function chosenCredential<T extends object>(
	context: CredentialContext,
	{ name, displayName }: NodeCredential,
): Promise<T> {
	const node = context.getNode();
	if (node.credentials?.[name]) return await context.getCredentials<T>(name);
	throw new NodeOperationError(
		node,
		`No credential is chosen under '${displayName}' of this node`,
		{
			description: 'Open the node and choose one, or create it there.',
		},
	);
}
