import { createLogger } from '../../../webhook-receiver/src/operation/logger.ts';

function logged(line: Record<string, unknown>): string {
	let text = '';
	createLogger('info', { write: (written) => void (text += written) }).info(line, 'something');
	return text;
}

it.each(['secret', 'secrets', 'authorization', 'managementToken', 'headers'])(
	'never logs what is named %s, of a line or of an error',
	(name) => {
		expect(logged({ [name]: 'top-secret', ms: 3 })).toMatch(/"\[redacted\]".*"ms":3/);
		const err = Object.assign(new Error('failed'), { [name]: { inner: 'top-secret' } });
		const text = logged({ err });
		expect(text).toContain('failed');
		expect(text).not.toContain('top-secret');
	},
);
