// A mailing: letters that share a request, and the rate limit of the service.
import { sendLetters, verdictOf, type Letters } from '../support/letters.ts';
import type { InputItem } from '../support/n8n-core.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { TOO_LONG, useStrictSandbox } from './services.ts';

// Hundreds of letters are asked to wait.
jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const sandbox = useStrictSandbox();

const ON_ERROR = { onError: 'continueRegularOutput' } as const;

const letters = (count: number): InputItem[] =>
	Array.from({ length: count }, (_, index) => ({
		json: { email: `reader${index}@recipients.example` },
	}));

/** Sends a letter to each item's address. */
const send = async (
	items: InputItem[],
	options: object,
	parameters: object = {},
	more: Letters = {},
) =>
	await sendLetters(serviceCredential(sandbox, 'direct'), { items, options, parameters, ...more });

const sends = async () =>
	(await sandboxState(sandbox)).requests.filter(({ path }) => path === '/messages/bulk_send');
const messages = async () => (await sandboxState(sandbox)).messages;

describe('letters that differ only in their recipients', () => {
	const together = { groupRecipients: true };

	it('1,000 go out in 4 requests, each item with its own id and address', async () => {
		const items = letters(1000);
		const result = await send(items, together);
		expect(await sends()).toHaveLength(4);
		const sent = new Map((await messages()).map(({ id, contact }) => [id, contact.email]));
		expect(sent.size).toBe(1000);
		for (const [index, { json, pairedItem }] of result.items.entries()) {
			expect(pairedItem).toEqual({ item: index });
			expect(sent.get(String(json.messageId))).toBe(items[index].json?.email);
			expect(json.messages).toEqual([{ id: json.messageId, email: items[index].json?.email }]);
		}
	});

	it('[SEND-11][N] a request that is refused goes in halves, and each item has its own result', async () => {
		const items = letters(16);
		for (const at of [3, 9]) items[at].json!.lastname = TOO_LONG;
		items[12].json!.second = 'other@recipients.example';
		const recipients =
			'={{ [$json.email, ...($json.second ? [$json.second] : [])].map((email) => ({ email, firstname: "A", lastname: $json.lastname ?? "B" })) }}';
		const result = await send(items, together, { recipientsJson: recipients }, ON_ERROR);
		const failed = result.items.flatMap(({ json }, at) => (json.error === undefined ? [] : [at]));
		expect(failed).toEqual([3, 9]);
		expect(result.items[3].json).toMatchObject({
			error: expect.stringContaining('(message-bad-contacts)'),
			details: { description: expect.stringContaining('<reader3@recipients.example>, lastname: ') },
		});
		expect(await messages()).toHaveLength(15);
		expect((await sends()).length).toBeLessThanOrEqual(1 + 2 * 2 * 4);
	});

	it('the half that did not go out after one that ended the run goes out in a retry', async () => {
		const items = letters(2);
		const recipientsJson = `={{ { email: $json.email, firstname: "A", lastname: $itemIndex === 0 ? "${TOO_LONG}" : "B" } }}`;
		const failed = await send(items, together, { recipientsJson });
		expect(failed.error?.message).toContain('(message-bad-contacts)');
		const retried = await send(items, together, {}, { retryOf: failed.run });
		expect(retried.error).toBeUndefined();
		expect(await messages()).toHaveLength(2);
	});

	it('an item stands or falls with all of its recipients', async () => {
		const bad = { email: 'bad@recipients.example', firstname: 'A', lastname: TOO_LONG };
		const recipientsJson = `={{ [{ email: $json.email, firstname: "A", lastname: "B" }, ...($itemIndex === 0 ? [${JSON.stringify(bad)}] : [])] }}`;
		const result = await send(letters(2), together, { recipientsJson }, ON_ERROR);
		expect(result.items.map(({ json }) => json.error !== undefined)).toEqual([true, false]);
		expect(result.items[0].json.details).toMatchObject({
			description: expect.stringMatching(/^<bad@recipients.example>, lastname: /),
		});
		expect((await messages()).map(({ contact }) => contact.email)).toEqual([
			'reader1@recipients.example',
		]);
	});
});

it('[AUTH-05][N] a mailing waits at the rate limit of the service, as often as it takes', async () => {
	await sandbox.control('PUT /rate-limit', { requests: 4, seconds: 1 });
	const { items, error } = await send(letters(20), { concurrency: 20 });
	await sandbox.control('DELETE /rate-limit');
	expect(error).toBeUndefined();
	expect(items.map(verdictOf)).toEqual(Array(20).fill('sent'));
	expect(await messages()).toHaveLength(20);
	expect((await sends()).filter(({ status }) => status === 429).length).toBeGreaterThan(10);
}, 120_000);
