// Test certificates made with openssl: a CA, and certificates issued by it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Pair {
	certificate: string;
	key: string;
}

export function authority(folder: string, name: string) {
	const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
	const at = (file: string) => join(folder, `${name}-${file}`);
	const read = (file: string) => readFileSync(at(file), 'utf8');
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
	openssl(
		'req',
		'-x509',
		...curve,
		'-subj',
		`/CN=${name}`,
		'-days',
		'2',
		'-keyout',
		at('ca.key'),
		'-out',
		at('ca.pem'),
	);
	return {
		certificate: read('ca.pem'),
		/** A certificate for 127.0.0.1 and 127.0.0.2, valid for `days`. */
		issue(subject: string, days = 2): Pair {
			const extensions = at(`${subject}.ext`);
			writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1,IP:127.0.0.2\n');
			openssl(
				'req',
				...curve,
				'-subj',
				`/CN=${subject}`,
				'-keyout',
				at(`${subject}.key`),
				'-out',
				at(`${subject}.csr`),
			);
			openssl(
				'x509',
				'-req',
				'-in',
				at(`${subject}.csr`),
				'-days',
				String(days),
				'-CA',
				at('ca.pem'),
				'-CAkey',
				at('ca.key'),
				'-CAcreateserial',
				'-extfile',
				extensions,
				'-out',
				at(`${subject}.pem`),
			);
			return { certificate: read(`${subject}.pem`), key: read(`${subject}.key`) };
		},
	};
}
