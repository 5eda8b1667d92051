// An option that is there has a value, of the right kind, or its item fails before anything leaves:
// it must not lift a limit, send now instead of later, or in another's name.

import { readers, sendLetters, verdictOf, type Letters } from '../support/letters.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { useStub } from './services.ts';

const stub = useStub();

const send = (letters: Letters) => sendLetters(stub.credential, letters);

const EMPTY = ['{{ undefined }}', '{{ null }}', '{{ "" }}', '{{ " " }}', '{{ $json.nope }}'];

/** How the editor names each option, by its own name. */
const OPTIONS = {
	concurrency: 'Concurrency',
	customerReference: 'Customer Reference',
	fileReference: 'File Reference',
	groupRecipients: 'Group Recipients',
	ifOutcomeUnknown: 'If Outcome Is Unknown',
	includeSenderLogo: 'Include Sender Logo',
	maxLetters: 'Max Letters',
	maxRecipientsPerRequest: 'Max Recipients per Request',
	requireConsent: 'Require Consent',
	scheduledAt: 'Scheduled At',
	sendOnceKey: 'Send Once Key',
	sender: 'Sender',
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

	// What else is no text, flag or number: unit/pack/field.test.ts.
	it.each<[Option, string]>([
		...(['customerReference', 'fileReference', 'sendOnceKey'] as const).map(
			(text): [Option, string] => [text, '{{ ({ a: 1 }) }}'],
		),
		...(['groupRecipients', 'includeSenderLogo'] as const).map((flag): [Option, string] => [
			flag,
			'{{ "maybe" }}',
		]),
		['requireConsent', '{{ 2 }}'],
		['maxLetters', '{{ -1 }}'],
		['maxRecipientsPerRequest', '{{ 0 }}'],
		['concurrency', '{{ "many" }}'],
		['concurrency', '{{ 51 }}'],
		['ifOutcomeUnknown', '{{ "again" }}'],
		['scheduledAt', '{{ true }}'],
		['sender', '{{ "lune" }}'],
		// As text these are empty, so the customer would be the account itself.
		...['[]', '[""]', '[null]'].map((list): [Option, string] => ['sender', `{{ ${list} }}`]),
	])('with %s that is %s', async (option, value) => {
		const { error } = await send({ options: { [option]: `=${value}` } });
		expect(error?.message).toMatch(new RegExp(`^${OPTIONS[option]}: `));
		expect(stub.connections).toBe(0);
	});
});

describe('of several items', () => {
	const itemOptions = Object.keys(OPTIONS).filter((option) =>
		/Reference|includeSenderLogo|maxLetters|requireConsent|scheduledAt|sendOnceKey|sender$/.test(
			option,
		),
	);
	it.each(itemOptions)('one whose %s is undefined stops all of them', async (option) => {
		const options = { [option]: `={{ $itemIndex === 2 ? undefined : ${GOOD[option]} }}` };
		const { error } = await send({ options, items: readers(3) });
		expect(error?.message).toMatch(/^Row 3 of 3: .*It is empty for this item/);
		expect(stub.connections).toBe(0);
	});

	it.each(itemOptions.filter((option) => option !== 'maxLetters'))(
		'the first one, whose %s is undefined, fails alone where an error is to continue',
		async (option) => {
			const options = { [option]: `={{ $itemIndex === 0 ? undefined : ${GOOD[option]} }}` };
			const onError = 'continueRegularOutput';
			const { items } = await send({ options, items: readers(3), onError });
			expect(items.map(verdictOf)).toEqual(['not sent', 'sent', 'sent']);
		},
	);
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
};

function displayNameOf(option: object): unknown {
	return 'displayName' in option ? option.displayName : undefined;
}
