// Send Letter: resending, against the sandbox.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { runAt, TOO_LONG, useStrictSandbox, type AtService } from './services.ts';

const person = { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' };
const other = { email: 'new@recipients.example', firstname: 'Nina', lastname: 'Petit' };

const sandbox = useStrictSandbox();

const run = (parameters: object, options?: AtService) =>
	runAt(sandbox, new SendLetter(), parameters, options);

const resend = (messageIds: unknown, options?: AtService) =>
	run({ operation: 'resend', messageIds }, options);
const resendTo = (parameters: object, options?: AtService) =>
	run({ operation: 'resendTo', ...parameters }, options);

async function send(count = 1, type = 'LS', recipient: object = person, options: object = {}) {
	const { items } = await run({
		type,
		body: '<p>Hello there</p>',
		recipientsFrom: 'json',
		recipientsJson: Array.from({ length: count }, () => recipient),
		options,
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
		const { items } = await run(
			{
				type: 'LS',
				body: '<p>Hello</p>',
				recipientsFrom: 'json',
				recipientsJson: person,
				options: { sender: { mode: 'list', value: lune?.id } },
			},
			{ credential: reseller },
		);
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
});

describe('resendTo', () => {
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

	it('[RSND-06][AUTH-06][N] says what to do about a payment, a wrong contact, a letter not there', async () => {
		const [id] = await send();
		await sandbox.control('PUT /accounts/{name}/payment', { name: 'direct', accepted: false });
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
