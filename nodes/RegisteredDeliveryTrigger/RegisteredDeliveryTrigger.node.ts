import type {
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { Consumer } from '../shared/consumer/consumer';
import { consumerState } from '../shared/consumer/consumerState';
import { eventsSubtitle } from '../shared/events/eventFields';
import { itemMaker } from '../shared/events/eventSettings';
import { registeredDeliveryApiTest } from '../shared/transport/credentialTest';
import { triggerFields } from './triggerFields';
import { readPlan } from './readPlan';
import { startExecution } from './startExecution';

export class RegisteredDeliveryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Registered Delivery Trigger',
		name: 'registeredDeliveryTrigger',
		icon: {
			light: 'file:../../icons/registeredDelivery.svg',
			dark: 'file:../../icons/registeredDelivery.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: eventsSubtitle,
		description: 'Starts the workflow when something happens to a letter, a consent or a customer',
		defaults: { name: 'Registered Delivery Trigger' },
		eventTriggerDescription:
			'Waiting for the receiver to report an event of a letter. Send one, or let the recipient act.',
		activationMessage: 'n8n now fetches the events of your letters from the webhook receiver.',
		builderHint: {
			searchHint:
				'Starts a workflow for events of all letters, consents and customers, whoever sent them, and loses none. Needs a webhook receiver; without one choose Registered Delivery Direct Trigger. To wait for a letter in the workflow that sent it, choose Await Outcome.',
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'registeredDeliveryApi',
				required: true,
				testedBy: 'registeredDeliveryApiTest',
			},
		],
		properties: triggerFields,
	};

	methods = { credentialTest: { registeredDeliveryApiTest } };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		const plan = readPlan(this);
		const toItem = itemMaker(this);
		const isPublished = () => consumerState(plan.key).isOpen;
		const isTest = this.getActivationMode() === 'manual';
		const consumer = await Consumer.open(this, plan, {
			start: async (batch) => {
				const items = batch.events.map(toItem);
				if (!isTest) return await startExecution(this, batch, items, isPublished);
				// Without waiting: n8n closes the trigger before a test runs.
				this.emit([items]);
				return { outcome: 'ack' };
			},
			refused: (error) => this.emitError(error),
			away: (error) => this.saveFailedExecution(error),
		});
		return { closeFunction: async () => await consumer.close() };
	}
}
