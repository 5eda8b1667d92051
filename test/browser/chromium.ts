import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

import { localFolder, root } from '../n8n/folders.ts';

const run = promisify(execFile);

const FLAGS = [
	// The tests of a container run as root, for whom Chromium has no sandbox.
	'--no-sandbox',
	'--disable-dev-shm-usage',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
];

/**
 * Headless Chromium without any system package: the browser, its libraries and its fonts come from npm.
 * `CHROMIUM_PATH` names another one to use instead.
 */
export async function launchChromium(): Promise<Browser> {
	const own = process.env.CHROMIUM_PATH;
	if (own) return await chromium.launch({ executablePath: own, args: FLAGS });
	const folder = await unpackedChromium();
	return await chromium.launch({
		executablePath: join(folder, 'chromium'),
		args: FLAGS,
		env: {
			PATH: process.env.PATH,
			HOME: folder,
			LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
			FONTCONFIG_PATH: join(folder, 'fonts'),
		},
	});
}

/** Unpacked once for each version of the package. @returns the folder */
async function unpackedChromium(): Promise<string> {
	const { version } = JSON.parse(
		await readFile(join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json'), 'utf8'),
	) as { version: string };
	const folder = join(localFolder, `chromium-${version}`);
	if (await exists(folder)) return folder;

	// Moved into place whole: suites start side by side, and any of them can be interrupted.
	await mkdir(localFolder, { recursive: true });
	const unpacking = await mkdtemp(`${folder}.`);
	try {
		await run(process.execPath, [join(root, 'test', 'browser', 'unpack-chromium.ts')], {
			env: { ...process.env, TMPDIR: unpacking },
		});
		await writeFile(join(unpacking, 'fonts', 'fonts.conf'), fontConfiguration(folder));
		await rename(unpacking, folder);
	} catch (error) {
		if (!(await exists(folder))) throw error;
	} finally {
		await rm(unpacking, { recursive: true, force: true });
	}
	return folder;
}

// The package's own configuration expects its fonts in /tmp. These alone, so that every machine shows
// the same.
function fontConfiguration(folder: string): string {
	const fonts = join(folder, 'fonts');
	return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	<dir>${join(fonts, 'fonts')}</dir>
	<cachedir>${join(fonts, 'cache')}</cachedir>
</fontconfig>
`;
}

async function exists(path: string): Promise<boolean> {
	return await access(path).then(
		() => true,
		() => false,
	);
}
