import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';

/** Seconds until all of it runs, on a machine that has much else to do. */
const PATIENCE = 240;

/** What `npm start` prints of a part. */
export interface PrintedRow {
	address: string;
	note: string;
}

/** `npm start`, as a person sees it in the terminal. */
export class NpmStart {
	/** Everything it has printed. */
	output = '';
	/** Its exit code, once it has ended. */
	readonly ended: Promise<number | null>;
	private readonly child: ChildProcess;
	private hasEnded = false;

	/** @param folder where it keeps its data: several can run side by side */
	constructor(folder: string, more: string[] = []) {
		const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
			scripts: { start: string };
		};
		const [, ...command] = scripts.start.split(' ');
		// Without npm in between, which passes no signal on.
		this.child = spawn(process.execPath, [...command, '--folder', folder, ...more], {
			cwd: root,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
		}
		this.ended = new Promise((resolve) => {
			this.child.once('close', (code) => {
				this.hasEnded = true;
				resolve(code);
			});
		});
	}

	/** Waits until it has printed the text. @throws Error with all it has printed, if it ends before */
	async untilPrinted(text: string): Promise<void> {
		const look = async () => this.output.includes(text) || this.hasEnded;
		await until(`npm start to print "${text}"`, look, PATIENCE).catch((error: Error) => {
			throw new Error(`${error.message}\n${this.output}`);
		});
		if (!this.output.includes(text)) throw new Error(`npm start ended:\n${this.output}`);
	}

	untilRunning = async () => await this.untilPrinted('Everything keeps running.');

	/** The line of the part in the list of addresses. */
	row(name: string): PrintedRow {
		const line = this.output.split('\n').find((one) => one.startsWith(`  ${name} `)) ?? '';
		const [address = '', ...note] = line
			.slice(name.length + 2)
			.trim()
			.split(/\s+/);
		return { address, note: note.join(' ') };
	}

	/** Ends it as Ctrl-C does. @returns its exit code */
	async stop(): Promise<number | null> {
		if (!this.hasEnded) this.child.kill('SIGTERM');
		return await this.ended;
	}
}
