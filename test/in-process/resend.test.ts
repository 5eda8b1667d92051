// Send Letter: resending, against the sandbox.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { sendLetters } from '../support/letters.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { runAt, TOO_LONG, useStrictSandbox, useStub, type AtService } from './services.ts';

const person = { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' };
const other = { email: 'new@recipients.example', firstname: 'Nina', lastname: 'Petit' };

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (parameters: object, options?: AtService) =>
	runAt(sandbox, new SendLetter(), parameters, options);

const resend = (messageIds: unknown, options?: AtService) =>
	run({ operation: 'resend', messageIds }, options);
const resendTo = (parameters: object, options?: AtService) =>
	run({ operation: 'resendTo', ...parameters }, options);

async function send(count = 1, type = 'LS', recipient: object = person) {
	const recipientsJson = Array.from({ length: count }, () => recipient);
	const { items } = await sendLetters(serviceCredential(sandbox, 'direct'), {
		parameters: { type, recipientsJson },
	});
	return (items[0].json.messages as Array<{ id: string }>).map(({ id }) => id);
}

const tokenOnly = () =>
	serviceCredential(sandbox, 'direct', { clientCertificate: '', clientKey: '' });
const requests = async (path: RegExp) =>
	(await sandboxState(sandbox)).requests.filter((one) => path.test(one.path));
const resent = async () =>
	(await sandboxState(sandbox)).messages.filter(({ resendOf }) => resendOf !== null);

describe('resend', () => {
	it('[RSND-01][N] sends many again in one multipart request, one output item each', async () => {
		const ids = await send(3);
		const { items, error } = await resend(ids.join(', '));
		expect(error).toBeUndefined();
		const messages = await resent();
		expect(items).toEqual(
			ids.map((id) => ({
				json: { messageId: messages.find(({ resendOf }) => resendOf === id)?.id, resentFrom: id },
				pairedItem: { item: 0 },
			})),
		);
		const sent = await requests(/^\/messages\/resend$/);
		expect(sent).toMatchObject([
			{ headers: { 'content-type': expect.stringMatching(/^multipart\/form-data/) } },
		]);
	});

	it('[RSND-02][RSND-03][N] sends none when one is not there, and says so', async () => {
		const ids = await send(2);
		const { error } = await resend([...ids, '000000000000']);
		expect(error?.message).toContain('(message-not-found)');
		expect(error?.description).toContain('None of the 3 letters was resent');
		expect(await resent()).toEqual([]);
	});

	it('[RSND-03][AUTH-06][N] explains a wrong token, and a customer who is no longer there', async () => {
		const ids = await send();
		const wrong = serviceCredential(sandbox, 'direct', { apiToken: 'wrong' });
		expect((await resend(ids, { credential: wrong })).error?.description).toContain('API token');

		const reseller = serviceCredential(sandbox, 'reseller');
		const { customers } = await sandboxState(sandbox);
		const lune = customers.find(({ state }) => state === 'ACCEPTED');
		const { items } = await sendLetters(reseller, {
			options: { sender: { mode: 'list', value: lune?.id } },
		});
		await sandbox.control('POST /customers/{id}/{answer}', { id: lune!.id, answer: 'revoke' });
		const { error } = await resend(items[0].json.messageId, { credential: reseller });
		expect(error?.message).toContain('(customer-not-found)');
		expect(error?.description).toContain('delegation to this account may have ended');
	});

	it('[RSND-05][N] an LRE needs the client certificate, which the error says', async () => {
		const ids = await send(1, 'LRE');
		const { error } = await resend(ids, { credential: tokenOnly() });
		expect(error?.message).toContain('(lre-must-use-mtls)');
		expect(error?.description).toContain('client certificate');
		expect((await resend(ids)).error).toBeUndefined();
	});

	it('Max Letters refuses the whole run, whatever the number of items', async () => {
		const ids = await send(3);
		const items = [ids.slice(0, 2), ids.slice(2)].map((some) => ({ json: { some } }));
		const parameters = {
			operation: 'resend',
			messageIds: '={{ $json.some }}',
			options: { maxLetters: 2 },
		};
		const words =
			/^Max Letters: 3 letters would go out, but at most 2 may\. None of these was sent\./;
		expect((await run(parameters, { items })).error?.message).toMatch(words);
		const going = await run(parameters, { items, onError: 'continueRegularOutput' });
		expect(going.items.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(words),
			expect.stringMatching(words),
		]);
		expect(await resent()).toEqual([]);
	});
});

describe('resendTo', () => {
	it('Max Letters refuses the whole run', async () => {
		const items = (await send(2)).map((id) => ({ json: { id } }));
		const parameters = { messageId: '={{ $json.id }}', options: { maxLetters: 1 } };
		const { error } = await resendTo(parameters, { items });
		expect(error?.message).toMatch(/^Max Letters: 2 letters would go out, but at most 1 may\./);
		expect(await resent()).toEqual([]);
	});

	it('[RSND-04][N] sends one again to its contact', async () => {
		const [id] = await send();
		const { items, error } = await resendTo({ messageId: id });
		expect(error).toBeUndefined();
		const [message] = await resent();
		expect(message).toMatchObject({ resendOf: id, contact: { email: person.email } });
		expect(items).toEqual([
			{ json: { messageId: message.id, resentFrom: id }, pairedItem: { item: 0 } },
		]);
	});

	it.each([
		['the form', { recipientKind: 'person', ...other }],
		['JSON', { recipientsFrom: 'json', recipientsJson: other }],
	])('[RSND-04][N] sends one again to a new contact from %s', async (_, recipients) => {
		const [id] = await send();
		const { items } = await resendTo({ messageId: id, sendTo: 'newContact', ...recipients });
		expect(items[0].json).toMatchObject({ resentFrom: id, email: other.email });
		expect(await resent()).toMatchObject([{ contact: other }]);
		const [request] = await requests(/resend$/);
		expect(request.headers['content-type']).toMatch(/^multipart\/form-data/);
	});

	it('[RSND-04][N] sends the letter of each item to the contact of that item', async () => {
		const contacts = [other, { ...other, email: 'third@recipients.example' }];
		const items = (await send(2)).map((id, at) => ({ json: { id, contact: contacts[at] } }));
		await resendTo(
			{
				messageId: '={{ $json.id }}',
				sendTo: 'newContact',
				recipientsFrom: 'json',
				recipientsJson: '={{ $json.contact }}',
			},
			{ items },
		);
		const went = (await resent()).map(({ resendOf, contact }) => [resendOf, contact.email]);
		expect(Object.fromEntries(went)).toEqual(
			Object.fromEntries(items.map(({ json: { id, contact } }) => [id, contact.email])),
		);
	});

	it('[RSND-06][AUTH-06][N] says what to do about a payment, a wrong contact, a letter not there', async () => {
		const [id] = await send(1, 'LS', { ...person, email: 'unpaid@recipients.example' });
		const unpaid = await resendTo({ messageId: id });
		expect(unpaid.error?.message).toContain('(payment-request-rejected)');
		expect(unpaid.error?.description).toContain('Settle the payment');

		const wrong = await resendTo({
			messageId: id,
			sendTo: 'newContact',
			recipientsFrom: 'json',
			recipientsJson: { ...other, lastname: TOO_LONG },
		});
		expect(wrong.error?.message).toContain('(message-bad-contacts)');
		expect(wrong.error?.description).toContain(`<${other.email}>, lastname`);

		const missing = await resendTo({ messageId: '000000000000' });
		expect(missing.error?.message).toContain('(message-not-found)');
		expect(await resent()).toEqual([]);
	});
});

const [ONE, TWO] = ['000000000001', '123456789012'];

describe('the IDs of what is sent again', () => {
	it.each<[string, unknown]>([
		['commas and spaces', ` ${ONE} , ${TWO} `],
		['semicolons', `${ONE};${TWO};`],
		['lines', `${ONE}\n${TWO}\n`],
		['several separators at once', `,${ONE},; ,${TWO}`],
		['a list', [ONE, TWO]],
		['a list of numbers, as spreadsheets make them', [1, 123456789012]],
		['JSON of texts', `["${ONE}", "${TWO}"]`],
		['JSON in single quotes', ` ['${ONE}','${TWO}'] `],
		['JSON of bare digits, leading zeros kept', `[${ONE},${TWO}]`],
	])('[READ-01][N] are read from %s', async (_, value) => {
		stub.answer = () => ({ status: 201, body: [{ id: 7 }, { id: 8 }] });
		const { items } = await resend(value, { credential: stub.credential });
		expect(items.map(({ json }) => json.resentFrom)).toEqual([ONE, TWO]);
		for (const id of [ONE, TWO]) expect(stub.requests[0].body).toContain(id);
	});

	it.each<[string, unknown, string]>([
		['separators alone', ' ,;\n', 'at least one'],
		['an empty JSON list', '[ ]', 'at least one'],
		['an entry that is none', `${ONE},12345`, '"12345" is not a message ID'],
		['digits of a JSON text that lost a zero', '[1]', '"1" is not a message ID'],
		['an empty entry of a list', [ONE, ''], 'It is empty'],
		['a list in a list', [[ONE]], 'is not a message ID'],
		['one named twice', `${TWO},${ONE},${TWO}`, `${TWO} appears twice`],
		['one named twice, once as a number', [TWO, 123456789012], `${TWO} appears twice`],
	])('[READ-01][N] are refused: %s', async (_, value, words) => {
		const { error } = await resend(value, { credential: stub.credential });
		expect(error?.message).toContain(words);
		expect(stub.requests).toEqual([]);
	});
});

describe('answers that the sandbox never gives', () => {
	const resent = async (answer: StubAnswer, count: number) => {
		stub.answer = () => answer;
		const ids = [ONE, TWO].slice(0, count);
		return await resend(ids, { credential: stub.credential });
	};

	it.each<[string, unknown, string[]]>([
		['one ID', `"${ONE}"`, [ONE]],
		['a number that lost its zeros', 1, [ONE]],
		['an object', { id: ONE }, [ONE]],
		['a list', [ONE, { id: 2 }], [ONE, '000000000002']],
	])('[RSND-01][RSND-04][N] say what the new IDs are: %s', async (_, body, ids) => {
		const { items } = await resent({ status: 201, body }, ids.length);
		expect(items.map(({ json }) => json.messageId)).toEqual(ids);
	});

	it.each<[string, unknown, number, number?]>([
		['another status', { id: ONE }, 1, 200],
		['an empty list', [], 1],
		['too few', [ONE], 2],
		['too many', [ONE, TWO], 1],
		['an ID that is none', [ONE, 'soon'], 2],
		['one ID for two letters, in two spellings', [{ id: 1 }, ONE], 2],
	])(
		'[RSND-01][RSND-04][N] leave the outcome unknown: %s',
		async (_, body, count, status = 201) => {
			const { error, items } = await resent({ status, body }, count);
			expect(error?.message).toMatch(/^Outcome unknown: /);
			expect(items).toEqual([]);
		},
	);
});
