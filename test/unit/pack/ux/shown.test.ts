// What the editor shows beside which choices, by n8n's own code.
import { type INodeParameters, NodeHelpers } from 'n8n-workflow';

import { nodeDescriptions } from '../../../support/descriptions.ts';

/** The fields that a node with these parameters shows, and what they hold. */
function shown(name: string, parameters: INodeParameters): INodeParameters {
	const description = nodeDescriptions().find((one) => one.name === name);
	return (
		NodeHelpers.getNodeParameters(
			description?.properties ?? [],
			parameters,
			true,
			false,
			null,
			description ?? null,
		) ?? {}
	);
}

const send = { operation: 'send', type: 'LS', recipientsFrom: 'form' };

it('Send Letter asks of a person and of a company what they have', () => {
	const recipient = [{ recipientKind: 'person' }, { recipientKind: 'organization' }];
	const { recipients } = shown('sendLetter', { ...send, recipients: { recipient } });
	const [person, company] = (recipients as { recipient: object[] }).recipient.map(Object.keys);
	expect(person).toEqual(['recipientKind', 'email', 'firstname', 'lastname']);
	expect(company).toEqual(['recipientKind', 'email', 'company', 'identifierType', 'identifier']);
});

it.each([
	['form', ''],
	['item', '='],
])('with recipients from %s, the text of a letter begins as %j', (recipientsFrom, body) => {
	expect(shown('sendLetter', { ...send, recipientsFrom })).toMatchObject({ body });
});

it.each([
	[['*'], true],
	[['lre.failed', 'consent.accepted'], true],
	[['tracked_mail.opened', 'lre.failed'], false],
])('the trigger on %j says what these events need: %p', (events, isTold) => {
	const fields = shown('registeredDeliveryTrigger', { events });
	expect('watchNotice' in fields).toBe(isTold);
});
