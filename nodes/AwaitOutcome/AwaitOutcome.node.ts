import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { awaitNode } from '../shared/waiting/awaitNode';
import { deadlineSubtitle } from '../shared/waiting/deadline';
import { resumeWebhooks } from '../shared/waiting/resume';
import { awaitOutcome } from './awaitOutcome.operation';
import { awaitOutcomeFields } from './awaitOutcomeFields';

export class AwaitOutcome extends awaitNode(awaitOutcome) implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery: Await Outcome',
		name: 'awaitOutcome',
		icon: {
			light: 'file:../../icons/awaitOutcome.svg',
			dark: 'file:../../icons/awaitOutcome.dark.svg',
		},
		group: ['organization'],
		version: 1,
		subtitle: deadlineSubtitle,
		description: 'Sleep until letters are accepted, refused, opened, received or expired',
		defaults: { name: 'Await Outcome' },
		// It puts the execution to sleep for days, and no AI agent waits that long.
		usableAsTool: undefined,
		builderHint: {
			searchHint:
				'Place it after Send Letter: the execution sleeps until its letters have an outcome, and goes on through an output for each. For the status at this moment choose Get Status; to start a workflow for letters sent elsewhere, a trigger.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
			NodeConnectionTypes.Main,
		],
		outputNames: awaitOutcome.outputs.names,
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		webhooks: resumeWebhooks,
		properties: awaitOutcomeFields,
	};

	methods = {
		credentialTest: { registeredDeliveryApiTest },
	};
}
