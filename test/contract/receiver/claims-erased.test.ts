// What stays of the answer under a key once letters in it are erased: nothing that names them.
import { cleanUp, start } from './harness.ts';

afterEach(cleanUp);

const [ONE, TWO, THREE] = ['000000000001', '000000000002', '000000000003'];
const messages = (...ids: string[]) => ids.map((id) => ({ id, email: `${id}@example.com` }));
const ERASED = { erased: true };

it.each<[string, object, string[], object]>([
	[
		'about others',
		{ messageId: TWO, messages: messages(TWO) },
		[ONE],
		{ messageId: TWO, messages: messages(TWO) },
	],
	['alone in its answer', { messageId: ONE, messages: messages(ONE) }, [ONE], ERASED],
	[
		'among others',
		{ total: 3, messages: messages(ONE, TWO) },
		[ONE],
		{ total: 3, messages: messages(TWO) },
	],
	[
		'two of three',
		{ messages: messages(ONE, TWO, THREE) },
		[ONE, THREE],
		{ messages: messages(TWO) },
	],
	['all of them', { total: 2, messages: messages(ONE, TWO) }, [ONE, TWO], ERASED],
	['a list of ids', { ids: [ONE, TWO] }, [ONE], { ids: [TWO] }],
	['a list that has no other', { ids: [ONE], more: [TWO] }, [ONE], ERASED],
	[
		'a list deep inside',
		{ a: { b: [{ c: messages(ONE, TWO) }] } },
		[ONE],
		{ a: { b: [{ c: messages(TWO) }] } },
	],
	[
		'beside what is no letter',
		{ list: [null, 7, [ONE, 'x'], ONE] },
		[ONE],
		{ list: [null, 7, ['x']] },
	],
	['outside of any list', { first: ONE, messages: messages(ONE, TWO) }, [ONE], ERASED],
	['in a text', { note: `It is ${ONE}.`, messages: messages(TWO) }, [ONE], ERASED],
])('a letter that is named %s', async (_, answer, erased, left) => {
	const { manage } = await start();
	const holder = 'holder-of-a-claim-0001';
	const claim = { holder, name: 'invoice 7' };
	await manage('PUT', '/claims/k', { ...claim, state: 'leaving', leaseSeconds: 60 });
	await manage('PUT', '/claims/k', { holder, state: 'sent', answer });
	for (const id of erased)
		expect((await manage('DELETE', `/letters/${id}`)).status).toBeLessThan(300);
	const { body } = await manage('GET', '/claims/k');
	const isAbout = left !== answer && JSON.stringify(left) !== JSON.stringify(answer);
	expect(body).toMatchObject({ state: 'sent', answer: left, name: isAbout ? null : 'invoice 7' });
});
