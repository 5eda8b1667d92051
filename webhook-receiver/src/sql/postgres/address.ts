import pg from 'pg';

/** As `pg` knows them. */
const SSL_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** What `pg` takes for `verify-full` too, with a warning about its next version. */
const AS_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** An @ that comes only after what ended user and password too early. */
const UNESCAPED = /^[a-z]+:\/\/[^@/?#]*[/?#][^=]*@/;

/**
 * A PostgreSQL address as `pg` reads it, sockets included.
 *
 * @throws Error in words for operators; quotes nothing of the address, which holds the password
 */
export function readAddress(given: string): { url: string; database: string } {
	if (UNESCAPED.test(given)) {
		throw new Error(
			'DATABASE_URL: user or password has a character that ends it: write # as %23, / as %2F, ? as %3F and % as %25.',
		);
	}
	const [, mode = 'verify-full'] = /[?&]sslmode=([^&]*)/.exec(given) ?? [];
	if (!SSL_MODES.includes(mode)) {
		throw new Error(`DATABASE_URL: its sslmode is none of ${SSL_MODES.join(', ')}.`);
	}
	const isCompatible = /[?&]uselibpqcompat=true/.test(given);
	const url = isCompatible ? given : given.replace(AS_FULL, '$1verify-full');
	try {
		return { url, database: new pg.Client({ connectionString: url }).database ?? '' };
	} catch (error) {
		// Of a file that it names.
		const { code, message } = error as NodeJS.ErrnoException;
		const reason = code === 'ENOENT' ? message : 'is not a URL of PostgreSQL';
		throw new Error(`DATABASE_URL: ${reason}`, { cause: error });
	}
}
