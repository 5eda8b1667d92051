// Draws the icons, light and dark, from one description, so that they stay one family:
//   node scripts/make-icons.mjs
// An envelope fills the square (it must read at 16 px); the badge tells the nodes apart.
import { writeFileSync } from 'node:fs';

const themes = {
	'': { line: '#1f3a5f', paper: '#ffffff', badge: '#c8402f', mark: '#ffffff' },
	'.dark': { line: '#dbe7f5', paper: '#24364d', badge: '#ef6a58', mark: '#1b1f27' },
};

// Marks are drawn in a badge of radius 12 around (46, 44).
const marks = {
	registeredDelivery: 'M41 44.5l3.6 3.6 7-7.6',
	sendLetter: 'M40 44h11M46.5 39.5 51 44l-4.5 4.5',
	getStatus: 'M46 37.5v6.5l4.5 3',
	downloadEvidence: 'M46 37v8.5M42 42l4 4 4-4M40.5 50.5h11',
	manageCustomer: 'M46 37a3.2 3.2 0 1 0 .01 0M39.5 50.5a6.5 5.5 0 0 1 13 0',
	awaitConsent: 'M40 38.5h12v8.5h-6l-3.5 3.5v-3.5h-2.5zM43.5 42.7l1.8 1.8 3.2-3.4',
	awaitOutcome: 'M41.5 37.5h9M41.5 50.5h9M43 37.5c0 6.5 6 6.5 6 13M49 37.5c0 6.5-6 6.5-6 13',
	directTrigger: 'M47.5 36.5 41 45h4.5l-1.5 7 7-9h-4.5z',
	requestConsent: 'M40 38.5h12v8.5h-6l-3.5 3.5v-3.5h-2.5z',
};

for (const [name, mark] of Object.entries(marks)) {
	for (const [suffix, { line, paper, badge, mark: ink }] of Object.entries(themes)) {
		writeFileSync(
			new URL(`../icons/${name}${suffix}.svg`, import.meta.url),
			`<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60" viewBox="0 0 60 60" fill="none" stroke-linecap="round" stroke-linejoin="round">
	<rect x="2.5" y="6" width="50" height="36" rx="5" fill="${paper}" stroke="${line}" stroke-width="4"/>
	<path d="M4.5 11l23 17 23-17" stroke="${line}" stroke-width="4"/>
	<g transform="translate(42 41) scale(1.3) translate(-46 -44)">
		<circle cx="46" cy="44" r="13" fill="${badge}" stroke="${paper}" stroke-width="2"/>
		<path d="${mark}" stroke="${ink}" stroke-width="3"/>
	</g>
</svg>
`,
		);
	}
}
