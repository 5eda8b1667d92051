import type { Break } from '../break.ts';

/** Requests of the nodes: what they carry, where they go, and what is kept of their answers. */
export const NODES: Break[] = [
	{
		name: 'a token that an answer repeats stays in the error',
		file: 'nodes/shared/transport/service.ts',
		from: 'const body = redact(given, apiToken);',
		to: 'const body = given;',
		test: 'in-process/credential',
	},
	{
		name: 'a redirect is followed, and takes the token along',
		file: 'credentials/ownOrigin.ts',
		from: '{ ...request, maxRedirects: 0 }',
		to: '{ ...request }',
		test: 'in-process/own-origin',
	},
	{
		name: 'the requests of other items go out although one is wrong',
		file: 'nodes/shared/items/perItem.ts',
		from: "if ('error' in result && !context.continueOnFail()) throw result.error;\n\treturn result;",
		to: 'return result;',
		test: 'in-process/get-status',
	},
	{
		name: 'evidence is fetched by plain http',
		file: 'nodes/DownloadEvidence/fetchEvidence.ts',
		from: 'redirectUrl(headers.location, href) ??',
		to: 'new URL(headers.location, href) ??',
		test: 'in-process/download-evidence',
	},
	{
		name: 'half a file passes for evidence',
		file: 'nodes/DownloadEvidence/fetchEvidence.ts',
		from: 'if (isWhole(file, headers, sizeBefore)) return { binary, size, sha256 };',
		to: 'return { binary, size, sha256 };',
		test: 'in-process/evidence-worlds',
	},
	{
		name: 'evidence that falls silent is waited for',
		file: 'nodes/DownloadEvidence/askLink.ts',
		from: 'Promise.race([use(answer), stall(answer, ending.signal)])',
		to: 'use(answer)',
		test: 'in-process/evidence-hosts',
	},
	{
		name: 'a letter that is not watched passes for watched',
		file: 'nodes/SendLetter/watchLetters.ts',
		from: 'for (const { result } of step) result.output = { ...result.output, watch: { error: problem } };',
		to: '',
		test: 'in-process/send-letter-watch',
	},
	{
		name: 'an event whose execution n8n did not start is a duplicate when it comes again',
		file: 'nodes/RegisteredDeliveryDirectTrigger/receiveDirect.ts',
		from: 'for (const { key, mark } of noted) memory.forget(key, mark);',
		to: '',
		test: 'in-process/trigger-direct',
	},
	{
		name: 'the direct trigger takes what nobody signed',
		file: 'nodes/RegisteredDeliveryDirectTrigger/receiveDirect.ts',
		from: "if (refusal !== null) return refuse(context, 401, 'The request is not authenticated.');",
		to: '',
		test: 'in-process/trigger-direct-authentication',
	},
];
