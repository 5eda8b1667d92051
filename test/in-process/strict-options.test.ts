// An option that is there has a value, of the right kind, or its item fails before anything leaves:
// it must not lift a limit, send now instead of later, or in another's name.

import { arrived, readers, sendLetters, verdictOf, type Letters } from '../support/letters.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { useStub } from './services.ts';

const stub = useStub();

const send = (letters: Letters) => sendLetters(stub.credential, letters);
/** What the service read of the letters, as JSON. */
const wire = () => arrived(stub).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

const EMPTY = ['{{ undefined }}', '{{ null }}', '{{ "" }}', '{{ " " }}', '{{ $json.nope }}'];
// A date is refused as a body; in a collection n8n itself makes a text of it.
const NO_TEXT = ['{{ ({ a: 1 }) }}', '{{ ["a"] }}', '{{ true }}'];

const PERSON = { email: 'a@x.example', firstname: 'A', lastname: 'B' };

/** How the editor names each option, by its own name. */
const OPTIONS = {
	concurrency: 'Concurrency',
	customerReference: 'Customer Reference',
	fileReference: 'File Reference',
	groupRecipients: 'Group Recipients',
	ifOutcomeUnknown: 'If Outcome Is Unknown',
	includeSenderLogo: 'Include Sender Logo',
	isolateBadEntries: 'Skip Rejected Recipients',
	maxLetters: 'Max Letters',
	maxRecipientsPerRequest: 'Max Recipients per Request',
	requireConsent: 'Require Consent',
	scheduledAt: 'Scheduled At',
	sendOnceKey: 'Send Once Key',
	sender: 'Sender',
	watch: 'Watch',
};
type Option = keyof typeof OPTIONS;

it('all the options of a letter are in this test', () => {
	const { properties } = new SendLetter().description;
	const options = properties.find(
		({ name, displayOptions }) =>
			name === 'options' && displayOptions?.show?.operation?.includes('send'),
	)?.options;
	expect(Object.fromEntries((options ?? []).map((one) => [one.name, displayNameOf(one)]))).toEqual(
		OPTIONS,
	);
});

describe('sends nothing', () => {
	it.each(
		Object.entries(OPTIONS).flatMap(([option, named]) =>
			EMPTY.map((value) => ({ option, named, value })),
		),
	)('with $named that is $value', async ({ option, named, value }) => {
		const { error } = await send({ options: { [option]: `=${value}` } });
		expect(error?.message).toMatch(new RegExp(`^${named}: It is (empty|undefined|null)`));
		expect(stub.connections).toBe(0);
	});

	const texts: Option[] = ['customerReference', 'fileReference', 'sendOnceKey'];
	it.each(
		[...texts.map((option) => OPTIONS[option]), 'Body'].flatMap((named) =>
			NO_TEXT.map((value) => ({ named, value })),
		),
	)('with $named that is $value', async ({ named, value }) => {
		const option = texts.find((one) => OPTIONS[one] === named);
		const letter = option
			? { options: { [option]: `=${value}` } }
			: { parameters: { body: `=${value}` } };
		const { error } = await send(letter);
		expect(error?.message).toMatch(
			new RegExp(`^${named}: It is (an object, \\{|a list, \\[|true|the date ).*text is required`),
		);
		expect(stub.connections).toBe(0);
	});

	const flags: Option[] = [
		...(['groupRecipients', 'includeSenderLogo', 'isolateBadEntries'] as const),
		...(['requireConsent', 'watch'] as const),
	];
	it.each<[Option, string]>([
		...flags.flatMap(
			(flag): Array<[Option, string]> => [
				[flag, '{{ "maybe" }}'],
				[flag, '{{ ({}) }}'],
				[flag, '{{ 2 }}'],
			],
		),
		['maxLetters', '{{ "many" }}'],
		['maxLetters', '{{ -1 }}'],
		['maxLetters', '{{ ({}) }}'],
		['maxRecipientsPerRequest', '{{ 0 }}'],
		['maxRecipientsPerRequest', '{{ [] }}'],
		['concurrency', '{{ "many" }}'],
		['ifOutcomeUnknown', '{{ "again" }}'],
		['sender', '{{ ({ a: 1 }) }}'],
		['sender', '{{ "lune" }}'],
		// As text the first three are empty, so the customer would be the account itself.
		...['[]', '[""]', '[null]', '[["7c9e6679-7425-40de-944b-e07fc1f90ae7"]]'].flatMap(
			(list): Array<[Option, string]> =>
				(['sender', 'sendOnceKey', 'scheduledAt', 'maxLetters', 'fileReference'] as const).map(
					(option) => [option, `{{ ${list} }}`],
				),
		),
		['maxLetters', '{{ [5] }}'],
		['scheduledAt', '{{ ({ a: 1 }) }}'],
		['scheduledAt', '{{ true }}'],
	])('with %s that is %s', async (option, value) => {
		const { error } = await send({ options: { [option]: `=${value}` } });
		expect(error?.message).toMatch(new RegExp(`^${OPTIONS[option]}: `));
		expect(stub.connections).toBe(0);
	});

	it.each([
		['Attachment Fields', { attachmentFields: '={{ $json.nope }}' }],
		['Attachment Fields', { attachmentFields: '={{ null }}' }],
		['Attachment Fields', { attachmentFields: '={{ ["data"] }}' }],
		[
			'Recipients From',
			{ recipientsFrom: '={{ $json.nope }}', recipients: { recipient: [PERSON] } },
		],
		['Type', { type: '={{ ["LS"] }}' }],
	])('with %s that has another shape: %j', async (named, parameters) => {
		const { error } = await send({ parameters });
		expect(error?.message).toMatch(new RegExp(`^${named}: It (is|must be)`));
		expect(stub.connections).toBe(0);
	});

	it.each<['resend' | 'resendTo', object]>([
		['resend', { messageIds: '000000000042' }],
		['resendTo', { messageId: '000000000042', sendTo: 'originalContact' }],
	])('by %s with Max Letters that is undefined', async (operation, parameters) => {
		const { error } = await runNode(new SendLetter(), {
			parameters: {
				...{ operation, ...parameters },
				options: { maxLetters: '={{ undefined }}' },
			} as RunOptions['parameters'],
			credentials: { registeredDeliveryApi: stub.credential },
		});
		expect(error?.message).toMatch(/^Max Letters: It is empty/);
		expect(stub.connections).toBe(0);
	});
});

describe('of several items', () => {
	const itemOptions = Object.keys(OPTIONS).filter((option) =>
		/Reference|includeSenderLogo|maxLetters|requireConsent|scheduledAt|sendOnceKey|sender$|watch/.test(
			option,
		),
	);
	it.each(itemOptions)('one whose %s is undefined stops all of them', async (option) => {
		const options = { [option]: `={{ $itemIndex === 2 ? undefined : ${GOOD[option]} }}` };
		const { error } = await send({ options, items: readers(3) });
		expect(error?.message).toMatch(/^Row 3 of 3: .*It is empty for this item/);
		expect(stub.connections).toBe(0);
	});

	it.each(itemOptions)('and, On Error: Continue, stays alone: %s', async (option) => {
		const options = { [option]: `={{ $itemIndex === 2 ? undefined : ${GOOD[option]} }}` };
		const more = { items: readers(3), onError: 'continueRegularOutput' as const };
		const { items } = await send({ options, ...more });
		expect(items.map(verdictOf)).toEqual(['sent', 'sent', 'not sent']);
		expect(wire()).toHaveLength(2);
	});
});

/** A value of each option that items have one by one, as an expression. */
const GOOD: Record<string, string> = {
	customerReference: '"C"',
	fileReference: '"F"',
	includeSenderLogo: 'true',
	maxLetters: '5',
	requireConsent: 'false',
	scheduledAt: '$now.plus({ days: 1 })',
	sendOnceKey: '"strict " + $itemIndex + $runIndex + Math.random()',
	sender: '"00000000-0000-4000-8000-000000000001"',
	watch: 'false',
};

function displayNameOf(option: object): unknown {
	return 'displayName' in option ? option.displayName : undefined;
}
