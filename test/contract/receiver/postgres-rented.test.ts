// PostgreSQL as it is rented: behind a socket, a pooler or a private authority, as a standby, with a password
// that somebody else made. What does not work is said in words before anything is stored.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { findPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { itOr } from '../../support/skipped.ts';
import { authority } from './certificates.ts';
import { cleanUp, later, start, temporaryFolder } from './harness.ts';
import { query, startPostgres } from './postgres-server.ts';
import { startProcess } from './process.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

async function server(settings: Record<string, string> = {}) {
	const started = await startPostgres(settings);
	later(() => started.stop());
	return started;
}

/** It takes an event, tells it to a pull that waits, and is ready. */
async function expectWorks(DATABASE_URL: string): Promise<void> {
	const receiver = await start({ env: { DATABASE_URL } });
	await receiver.pull();
	const held = receiver.pulled({ openMs: 25_000 });
	expect((await receiver.emit({ event: 'aes_sent', messageId: 1 })).status).toBe(200);
	expect((await held).batches).toHaveLength(1);
	expect((await fetch(`${receiver.url}/readyz`)).status).toBe(200);
	await receiver.close();
}

/** Why it does not start, and all else it says. */
async function refusal(DATABASE_URL: string): Promise<string> {
	return await startProcess(temporaryFolder(), { DATABASE_URL }).then(
		() => 'It starts.',
		({ message }: Error) => message.trim(),
	);
}

/** A folder that the user of the server may read. */
function readableFolder(): string {
	const folder = temporaryFolder();
	chmodSync(folder, 0o777);
	return folder;
}

it('an address with a socket, as Cloud SQL gives it, works', async () => {
	const folder = readableFolder();
	const { freshDatabase } = await server({ unix_socket_directories: folder });
	const { port, pathname } = new URL(await freshDatabase());
	await expectWorks(`postgres://postgres:p@${pathname}?host=${folder}&port=${port}`);
});

describe('a pooler', () => {
	const program = findPgBouncer();
	const itPooled = itOr(program === null && 'needs pgbouncer: apt-get install pgbouncer');
	const pooled = async (url: string, settings: object) => {
		const pooler = await startPgBouncer(program ?? '', url, settings);
		later(() => pooler.stop());
		return pooler.url;
	};

	itPooled('in session mode works, and refuses no setting', async () => {
		const { freshDatabase } = await server();
		await expectWorks(await pooled(await freshDatabase(), { pool_mode: 'session' }));
	});

	itPooled('in transaction mode is found out, and nothing is made in the database', async () => {
		const { freshDatabase } = await server();
		const database = await freshDatabase();
		for (const server_round_robin of [0, 1]) {
			const url = await pooled(database, { pool_mode: 'transaction', server_round_robin });
			expect(await refusal(url)).toMatch(
				/^DATABASE_URL: a pooler in transaction mode stands before the server, .* Use the direct address/,
			);
		}
		const [{ tables }] = await query(
			database,
			`SELECT count(*)::int AS tables FROM pg_tables
			WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
		);
		expect(tables).toBe(0);
	});
});

it('a private authority is named with sslrootcert; a mistyped sslmode is refused', async () => {
	const folder = readableFolder();
	const issuer = authority(folder, 'private');
	const { certificate, key } = issuer.issue('server');
	const [cert, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
	writeFileSync(cert, certificate);
	writeFileSync(keyFile, key, { mode: 0o600 });
	if (process.getuid?.() === 0) {
		const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
		chownSync(keyFile, id('-u'), id('-g'));
	}
	const { freshDatabase } = await server({ ssl: 'on', ssl_cert_file: cert, ssl_key_file: keyFile });
	const url = await freshDatabase();
	for (const mode of ['require', 'verify-full']) {
		expect(await refusal(`${url}?sslmode=${mode}`)).toBe(
			'DATABASE_URL: its certificate is from an authority that is not known here. Name the file of the authority: sslrootcert=/path/ca.pem in the query.',
		);
	}
	expect(await refusal(`${url}?sslmode=verfy-full`)).toMatch(
		/^DATABASE_URL: its sslmode is none of disable, /,
	);
	const ca = join(folder, 'ca.pem');
	writeFileSync(ca, issuer.certificate);
	expect(await refusal(`${url}?sslmode=require&sslrootcert=${ca}.no`)).toMatch(
		/^DATABASE_URL: ENOENT: .*ca\.pem\.no/,
	);
	await expectWorks(`${url}?sslmode=require&sslrootcert=${ca}`);
});

it('a password of any characters works percent-encoded; it is said what to encode, and never the password', async () => {
	const folder = readableFolder();
	const hba_file = join(folder, 'pg_hba.conf');
	const trusted = 'host all postgres 127.0.0.1/32 trust';
	writeFileSync(hba_file, `${trusted}\nhost all all 127.0.0.1/32 scram-sha-256\n`);
	const { url, freshDatabase } = await server({ hba_file });
	await query(url, 'CREATE ROLE receiver SUPERUSER LOGIN');
	for (const special of ['#', '/', '?', '%', 'a%zz', '1?', '/1#', '@:']) {
		const password = `secret${special}secret`;
		await query(url, `ALTER ROLE receiver PASSWORD '${password}'`);
		const database = await freshDatabase();
		const as = (written: string) => database.replace('postgres@', `receiver:${written}@`);
		await expectWorks(as(encodeURIComponent(password)));
		// Some are read as meant even as they are.
		if (/[@%]/.test(special)) continue;
		const said = await refusal(as(password));
		expect(said).toMatch(/^DATABASE_URL: user or password has a character that ends it/);
		expect(said).not.toContain('secret');
	}
});

it('a server that is read-only, as a standby is, is told apart', async () => {
	const { url } = await server({ default_transaction_read_only: 'on' });
	expect(await refusal(url)).toBe(
		'DATABASE_URL: the server is read-only, as a standby is. Use the address of the primary.',
	);
});

it('a synchronous standby that is gone leaves no server process for each try, after a stop neither', async () => {
	const { url, freshDatabase } = await server();
	const database = await freshDatabase();
	const receiver = await start({ env: { DATABASE_URL: database } });
	await query(url, "ALTER SYSTEM SET synchronous_standby_names = 'gone'");
	await query(url, 'SELECT pg_reload_conf()');
	const waiting = async () => {
		const [{ count }] = await query(
			url,
			`SELECT count(*)::int AS count FROM pg_stat_activity
			WHERE wait_event = 'SyncRep' AND datname = '${new URL(database).pathname.slice(1)}'`,
		);
		return Number(count);
	};
	const tries = Array.from({ length: 4 }, (_, id) => receiver.emit({ event: 'aes_sent', id }));
	for (const { status } of await Promise.all(tries)) expect(status).toBe(503);
	for (let n = 0; n < 2; n++)
		expect((await receiver.emit({ event: 'aes_sent', n })).status).toBe(503);
	expect(await waiting()).toBeLessThanOrEqual(1);
	await receiver.close();
	expect(await waiting()).toBe(0);
	await query(url, 'ALTER SYSTEM RESET synchronous_standby_names');
	await query(url, 'SELECT pg_reload_conf()');
});
