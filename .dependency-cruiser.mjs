// Which folder may import which (docs/architecture.md); test/unit/imports.test.ts checks it.
// Not ESLint's to do: the pack keeps n8n's own rules, which leave no room for more.

import { DOORS, PURE } from './test/doors.mjs';

const RECEIVER = '^webhook-receiver/src/';
const CORE = `${RECEIVER}core/`;
const CAPABILITIES = `${RECEIVER}capabilities/`;
/** What every event passes, from the bottom to the top. */
const KERNEL = ['core', 'time', 'config', 'sql', 'http', 'log', 'queue'];
/** One of several ways to do the same, behind an interface of the kernel: the server chooses. */
const CHOSEN = ['verifiers', 'engines', 'rehearsal'];
const RECEIVER_FOLDERS = [...KERNEL, 'outgoing', ...CHOSEN, 'capabilities'];
const SANDBOX = '^sandbox/src/';
/** From the bottom to the top: each imports only itself and those before it. */
const SANDBOX_FOLDERS = [
	'state',
	'http',
	'html',
	'folder',
	'journal',
	'webhooks',
	'delivery',
	'world',
	'endpoint',
	'customers',
	'consents',
	'messages',
	'accounts',
	'service',
	'control',
	'client',
	'page',
];

const SHARED = '^nodes/shared/';
/** Likewise. */
const SHARED_FOLDERS = [
	'fields',
	'recipients',
	'transport',
	'items',
	'events',
	'sending',
	'consents',
	'pickers',
	'consumer',
	'polling',
	'waiting',
];

/** Rules that keep imports between folders in one direction. */
const inOrder = (base, folders, what) =>
	folders.map((folder, index) => ({
		name: `${folder}/ of ${what} imports nothing above it`,
		from: { path: `${base}${folder}/` },
		to: { path: base, pathNot: `${base}(${folders.slice(0, index + 1).join('|')})/` },
	}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
	forbidden: [
		{
			name: 'no import cycles',
			from: { pathNot: '^test/' },
			to: { circular: true },
		},
		{
			name: 'the pack imports only core of the receiver',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(webhook-receiver|sandbox|test|demo|scripts)/', pathNot: CORE },
		},
		{
			name: 'core imports only itself, node:crypto and zod/v4',
			comment: 'It goes into the pack, which ships no dependencies.',
			from: { path: CORE },
			to: { pathNot: [CORE, '^crypto$', '^node_modules/zod/v4/'] },
		},
		{
			name: 'the receiver imports nothing of pack and sandbox',
			from: { path: RECEIVER },
			to: { path: '^(nodes|credentials|sandbox|test|demo|scripts)/' },
		},
		{
			name: 'the receiver reaches others by TCP of its own process alone',
			comment: 'So that test/n8n/note-connections.mjs sees whom it reaches.',
			from: { path: RECEIVER },
			to: { path: '^(node:)?(child_process|dgram|dns)(/|$)' },
		},
		...inOrder(RECEIVER, RECEIVER_FOLDERS, 'the receiver').map((rule) => ({
			...rule,
			to: { ...rule.to, pathNot: `${rule.to.pathNot}|^webhook-receiver/src/capability\\.ts$` },
		})),
		{
			name: 'a capability imports no other',
			from: { path: `${CAPABILITIES}([^/]+)/` },
			to: { path: CAPABILITIES, pathNot: `${CAPABILITIES}$1/` },
		},
		{
			name: 'only capabilities and the composition know what a capability is',
			from: { path: `${RECEIVER}[^/]+/`, pathNot: CAPABILITIES },
			to: { path: `${RECEIVER}[^/]+\\.ts$` },
		},
		{
			name: 'only the server lists capabilities',
			from: { path: RECEIVER, pathNot: `${CAPABILITIES}|^webhook-receiver/src/server\\.ts$` },
			to: { path: CAPABILITIES },
		},
		...CHOSEN.map((folder) => ({
			name: `only the server chooses among ${folder}/`,
			from: { path: RECEIVER, pathNot: `${RECEIVER}(${folder}/|server\\.ts$)` },
			to: { path: `${RECEIVER}${folder}/` },
		})),
		{
			name: 'the sandbox stands alone',
			from: { path: SANDBOX },
			to: { path: '^(nodes|credentials|webhook-receiver|test|demo|scripts)/' },
		},
		...inOrder(SANDBOX, SANDBOX_FOLDERS, 'the sandbox'),
		...inOrder(SHARED, SHARED_FOLDERS, 'nodes/shared'),
		{
			name: 'what nodes share knows no node',
			from: { path: SHARED },
			to: { path: '^nodes/', pathNot: SHARED },
		},
		{
			name: 'a test enters by a door',
			comment: 'Types, too: what a test imports can no longer be rebuilt without it (test/README).',
			// The benchmark's peer is the receiver with one function replaced.
			from: { path: '^test/', pathNot: '^test/bench/parts/storeless[.]mjs$' },
			to: {
				path: '^(nodes|credentials|webhook-receiver/src|sandbox/src)/',
				pathNot: `^(${[...DOORS, ...Object.keys(PURE)].join('|')})\\.ts$`,
			},
		},
		{
			name: 'every import is found',
			from: {},
			to: { couldNotResolve: true },
		},
	].map((rule) => ({ ...rule, severity: 'error' })),
	options: {
		doNotFollow: { path: 'node_modules' },
		// Types count: a cycle of types is one of ideas.
		tsPreCompilationDeps: true,
		enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import'] },
	},
};
