// An execution that is stopped in the middle: nobody waits for it, and what it has begun is told where it is kept.
import type { INodeType } from 'n8n-workflow';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { cleanUp, start, TOKEN as managementToken } from '../contract/receiver/harness.ts';
import { serve } from '../support/http-server.ts';
import { accepted, readers, sendLetters } from '../support/letters.ts';
import { runNode, type RunOptions } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';
import { followed } from './nodes.ts';
import { useStub, watchingAt } from './services.ts';

const stub = useStub();
afterAll(cleanUp);

describe('while it pauses as long as somebody asks to, it does not go on doing so', () => {
	const messageId = '000000000001';
	const letter = {
		type: 'LS',
		body: '<p>Dear reader</p>',
		recipientsFrom: 'json',
		recipientsJson: { email: 'ada@x.example', firstname: 'A', lastname: 'B' },
	};
	it.each<[string, INodeType, object, RegExp]>([
		['a status', new GetStatus(), { messageId }, /^\/messages\//],
		['a letter', new SendLetter(), letter, /bulk_send$/],
		['evidence', new DownloadEvidence(), { messageId, eventType: 'SENT' }, /^\/pdf$/],
	])('%s', async (_title, type, parameters, busy) => {
		let stop = () => {};
		stub.answer = ({ path }) => {
			if (!busy.test(path)) return { body: { url: `${stub.url}/pdf` } };
			// By then the node has the answer, and pauses.
			setTimeout(() => stop(), 500);
			return { status: 429, headers: { 'retry-after': '90' }, body: {} };
		};
		const { node, runs } = followed(type);
		await runNode(node, {
			parameters: parameters as RunOptions['parameters'],
			credentials: { registeredDeliveryApi: stub.credential },
			onStart: (given) => (stop = given),
		});
		await Promise.allSettled(runs);
		expect(stub.requests.filter(({ path }) => busy.test(path))).toHaveLength(1);
	});
});

it('a letter under way leaves its key unknown at the receiver, at once', async () => {
	const receiver = await start();
	let stop = () => {};
	let answer = () => {};
	stub.answer = async (request) => {
		stop();
		await new Promise<void>((resolve) => (answer = resolve));
		return accepted(request);
	};
	const { node, runs } = followed(new SendLetter());
	await sendLetters(
		{ ...stub.credential, ...byReceiver(receiver.url, managementToken) },
		{
			node,
			options: { sendOnceKey: 'stopped' },
			onStart: (given) => (stop = given),
		},
	);
	await Promise.allSettled(runs);
	answer();
	const { body } = await receiver.manage('GET', '/claims');
	expect(body.data).toMatchObject([{ name: 'stopped', state: 'unknown' }]);
});

it('letters that had left are watched', async () => {
	const receiver = await start({ env: watchingAt(stub.credential) });
	let stop = () => {};
	stub.answer = async (request) => {
		if (!request.body.includes('reader1@')) return accepted(request);
		stop();
		return await new Promise(() => {});
	};
	const { node, runs } = followed(new SendLetter());
	await sendLetters(
		{ ...stub.credential, ...byReceiver(receiver.url, managementToken) },
		{
			node,
			items: readers(2),
			options: { concurrency: 1 },
			onStart: (given) => (stop = given),
		},
	);
	await Promise.allSettled(runs);
	expect((await receiver.manage('GET', '/watches')).body.data).toHaveLength(1);
});

it('a wait that was being registered is taken back', async () => {
	const receiver = await start();
	let stop = () => {};
	const between = await serve((request, response) => {
		void (async () => {
			const body = (await request.toArray()).join('');
			const { method = '', url: path = '' } = request;
			const { status } = await receiver.manage(method, path, body ? JSON.parse(body) : undefined);
			if (method === 'PUT') stop();
			else response.writeHead(status).end();
		})();
	});
	const { node, runs } = followed(new AwaitOutcome());
	const messageId = '000000000001';
	await runNode(node, {
		parameters: { messageId, messageType: 'LRE' },
		credentials: { registeredDeliveryApi: byReceiver(between.url, managementToken) },
		onStart: (given) => (stop = given),
	});
	await Promise.allSettled(runs);
	await between.close();
	const { body } = await receiver.manage('GET', `/waits?message=${messageId}`);
	expect(body.data).toEqual([]);
});
