import { pullSchema } from '../../../../webhook-receiver/src/core/pull-contract.ts';
import { editorUrl, shownWorkflow } from '../../../../nodes/RegisteredDeliveryTrigger/readPlan.ts';

it.each([
	['https://n8n.example', 'https://n8n.example/workflow/w1'],
	['https://n8n.example/', 'https://n8n.example/workflow/w1'],
	['http://localhost:5678/n8n/', 'http://localhost:5678/n8n/workflow/w1'],
	['https://user:password@n8n.example/?a=1#b', 'https://n8n.example/workflow/w1'],
	['', null],
	['n8n.example', null],
	['javascript:alert(1)', null],
	[`https://n8n.example/${'a'.repeat(600)}`, null],
])('where n8n at %s shows a workflow', (base, expected) => {
	expect(editorUrl(base, 'w1')).toBe(expected);
});

it('an id of any text stays one part of the path', () => {
	expect(editorUrl('https://n8n.example', '../a?b#c')).toBe(
		'https://n8n.example/workflow/..%2Fa%3Fb%23c',
	);
});

it('names of any length and kind make a pull that the receiver takes', () => {
	const name = '\u{1f4ee}\u0000'.repeat(200);
	const shown = shownWorkflow({
		getWorkflow: () => ({ id: 'w1', name, active: true }),
		getNode: () => ({ name }) as never,
		getInstanceBaseUrl: () => 'https://n8n.example',
	});
	const pull = pullSchema.parse({ holder: 'holder-1', wants: null, ...shown });
	expect(pull.name.length).toBeGreaterThan(100);
	expect(pull.name).not.toContain('\u0000');
});
