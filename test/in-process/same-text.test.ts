// A letter says the same with an attachment and without: what is sent as a form arrives like JSON.
import fc from 'fast-check';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { sendLetters, takeAll, verdictOf } from '../support/letters.ts';
import { sandboxState } from '../support/sandbox.ts';
import { readForm } from './read-form.ts';
import { runAt, useStrictSandbox, useStub } from './services.ts';

const stub = useStub();
const sandbox = useStrictSandbox();
const files = { data: { name: 'a.txt', type: 'text/plain', content: Buffer.from('a') } };

/** What the service reads of a letter with those texts, by field. */
async function arriving(text: string, withFile: boolean): Promise<Record<string, unknown>> {
	takeAll(stub);
	const json = { email: 'ada@x.example', firstname: text, lastname: `L${text}` };
	const { error } = await sendLetters(stub.credential, {
		parameters: {
			recipientsFrom: 'item',
			body: `<p>${text}</p>`,
			attachmentFields: withFile ? 'data' : '',
		},
		options: { fileReference: text, customerReference: `C${text}` },
		items: [{ json, files }],
	});
	expect(error).toBeUndefined();
	const [{ body, headers }] = stub.requests;
	if (!withFile) return ofJson(body);
	return await readForm(body, headers);
}

function ofJson(body: string): Record<string, unknown> {
	const { recipients, ...fields } = JSON.parse(body) as Record<string, unknown>;
	const [recipient] = recipients as object[];
	for (const [name, value] of Object.entries(recipient)) fields[`recipients[0].${name}`] = value;
	return fields;
}

it('[SEND-09][N] any text, with all that is a line break somewhere', async () => {
	const pieces = ['\n', '\r', '\r\n', '\t', 'é', '😀', '"', '\\', '%0A', '--', '\u2028', 'a b'];
	const text = fc
		.array(fc.constantFrom(...pieces), { maxLength: 6 })
		.map((parts) => `x${parts.join('')}y`);
	await fc.assert(
		fc.asyncProperty(text, async (given) => {
			expect(await arriving(given, true)).toEqual(await arriving(given, false));
		}),
		{ numRuns: 25, examples: [['x\ny'], ['x\ry']] },
	);
});

it('[AES-03][SEND-09][N] tracked mail at its most characters, in many lines and with a file', async () => {
	const body = `${'x'.repeat(49)}\n`.repeat(199) + 'x'.repeat(49);
	expect(body).toHaveLength(9_999);
	const parameters = { type: 'AES', body, attachmentFields: 'data', recipientsFrom: 'item' };
	const items = [{ json: { email: 'ada@x.example', company: 'A' }, files }];
	const { error } = await runAt(sandbox, new SendLetter(), parameters, { items });
	expect(error).toBeUndefined();
	expect((await sandboxState(sandbox)).messages).toMatchObject([{ body }]);
});

describe.each(['data', ''])('what neither can carry fails its item: attachments "%s"', (field) => {
	const half = '😀'.slice(0, 1);
	it.each([
		['Body', { body: `={{ $json.at === 1 ? "Dear ${half} reader" : "Dear reader" }}` }, 'U+D83D'],
		['File Reference', { options: { fileReference: '={{ "a" + $json.bad }}' } }, 'U+0000'],
		['Recipients', { recipientsJson: '={{ { email: "a@x.example", company: "A" + $json.bad } }}' }],
	])('%s', async (parameter, change, character = 'U+0000') => {
		const { options, ...parameters } = change as { options?: object };
		const { items } = await sendLetters(stub.credential, {
			parameters: { attachmentFields: field, ...parameters },
			options,
			items: [0, 1].map((at) => ({
				json: { at, email: `r${at}@x.example`, bad: at === 1 ? '\0' : '' },
				files,
			})),
			onError: 'continueRegularOutput',
		});
		expect(items.map(verdictOf)).toEqual(['sent', 'not sent']);
		expect(items[1].json.error).toContain(parameter);
		expect(items[1].json.error).toContain(character);
		expect(stub.requests).toHaveLength(1);
	});
});
