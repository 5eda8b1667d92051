// Text in braces that was typed while a field was set to Fixed: n8n does not evaluate it, and it would go out
// as it stands. Each field of each node that takes text, as its description has them.
import type { IDataObject, INodeProperties, INodeType } from 'n8n-workflow';

import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { ManageCustomer } from '../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { RequestConsent } from '../../nodes/RequestConsent/RequestConsent.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { arrived, sendLetters } from '../support/letters.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';
import { useStub } from './services.ts';

const stub = useStub();

const BRACES = '{{ $json.value }}';
/** How braces can be sent as text. */
const WAY_OUT = "{{ '{'.repeat(2) }}";
const ADA = { email: 'ada@x.example', firstname: 'Ada', lastname: 'Martin' };
const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
// By ID, n8n itself refuses the node.
const picked = (value: string) => ({ __rl: true, mode: 'list', value });

/** What makes the other fields of a node valid. */
const VALID: IDataObject = {
	...ADA,
	name: 'Lune',
	company: 'Lune',
	body: '<p>Hi</p>',
	messageId: '000000000001',
	messageIds: '000000000001',
	customerId: picked(ID),
	consentId: picked(ID),
	recipientsJson: JSON.stringify(ADA),
	scheduledAt: '={{ $now.plus({ days: 1 }) }}',
	recipients: { recipient: [{ ...ADA, recipientKind: 'person' }] },
};

/** A field with braces in it: its name in the editor, and the parameters that show it. */
interface Field {
	named: string;
	parameters: IDataObject;
}

const TEXT = ['string', 'json', 'dateTime', 'resourceLocator'];

function fieldsOf({ description: { properties } }: INodeType): Field[] {
	return properties.flatMap((property) => {
		const { operation = [undefined], ...show } = property.displayOptions?.show ?? {};
		const shown = Object.fromEntries(
			Object.entries(show).map(([name, values]) => [name, values?.[0]]),
		);
		return operation.flatMap((chosen) =>
			filledIn(property).map(({ named, parameters }) => ({
				named: [chosen, shown.recipientKind, named].filter(Boolean).join(' '),
				parameters: {
					...VALID,
					...(shown as IDataObject),
					...(chosen !== undefined && { operation: chosen as string }),
					...parameters,
				},
			})),
		);
	});
}

function filledIn(property: INodeProperties): Field[] {
	const { name, displayName, type, options = [] } = property;
	if (type === 'resourceLocator') {
		return [{ named: displayName, parameters: { [name]: picked(BRACES) } }];
	}
	if (TEXT.includes(type)) return [{ named: displayName, parameters: { [name]: BRACES } }];
	if (type === 'collection') return within(name, options as INodeProperties[]);
	if (type !== 'fixedCollection') return [];
	return options.flatMap((group) => {
		const values = 'values' in group ? group.values : [];
		return values.flatMap((value) =>
			filledIn(value).map(({ named, parameters }) => {
				const [recipientKind] = value.displayOptions?.show?.recipientKind ?? ['person'];
				const row = { ...ADA, company: 'Lune', recipientKind, ...parameters };
				return { named, parameters: { [name]: { [group.name]: [row] } } as IDataObject };
			}),
		);
	});
}

function within(name: string, options: INodeProperties[]): Field[] {
	return options.flatMap((option) =>
		filledIn(option).map(({ named, parameters }) => ({
			named,
			parameters: { [name]: parameters },
		})),
	);
}

const run = async (node: INodeType, parameters: IDataObject) =>
	await runNode(node, {
		parameters: parameters as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: { ...stub.credential, ...byReceiver('https://localhost:1', 'x') },
		},
		items: [{ json: { value: 'x' } }],
	});

describe.each([
	SendLetter,
	RequestConsent,
	ManageCustomer,
	AwaitConsent,
	AwaitOutcome,
	GetStatus,
	DownloadEvidence,
])('%p', (Node) => {
	it.each(fieldsOf(new Node()))('$named', async ({ named, parameters }) => {
		const { error, items } = await run(new Node(), parameters);
		const told =
			parameters.operation === 'check'
				? JSON.stringify((items[0].json.check as IDataObject).problems)
				: error?.message;
		expect(told).toContain(`It has ${BRACES} in it as plain text, which n8n did not evaluate.`);
		expect(told).toContain('Switch the field from Fixed to Expression.');
		expect(told).toContain(WAY_OUT);
		expect(told).toContain(named.split(' ').at(-1));
		expect(stub.requests).toEqual([]);
	});
});

it('braces in the data that an expression gives go out as they are', async () => {
	const value = 'Dear {{ name }}, a{{b}}';
	const { error } = await sendLetters(stub.credential, {
		parameters: { body: '={{ $json.value }}', recipientsJson: '={{ $json.reader }}' },
		options: {
			fileReference: '={{ $json.value }}',
			sendOnceKey: '=braces {{ $json.value }}',
		},
		items: [{ json: { value, reader: { ...ADA, firstname: value } } }],
	});
	expect(error).toBeUndefined();
	expect(arrived(stub).map(({ body }) => JSON.parse(body) as object)).toMatchObject([
		{ body: value, fileReference: value, recipients: [{ firstname: value }] },
	]);
});

it('braces that are meant as text go out as the message says', async () => {
	await sendLetters(stub.credential, { parameters: { body: `=<p>Dear ${WAY_OUT} name }}</p>` } });
	expect(arrived(stub)[0].body).toContain('<p>Dear {{ name }}</p>');
});
