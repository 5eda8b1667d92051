import type { Break } from '../break.ts';

const shared = (file: string) => `nodes/shared/${file}.ts`;

/** How n8n pulls, starts executions, sleeps and is woken. */
export const CONSUMER: Break[] = [
	{
		name: 'a batch is acknowledged before its execution has ended',
		file: shared('consumer/consumer'),
		from: 'const { outcome, reason } = await this.host.start(batch);',
		to: "const { outcome, reason } = { outcome: 'ack', reason: undefined } as never;\n\t\t\tvoid this.host.start(batch);",
		test: 'in-process/trigger',
	},
	{
		name: 'an execution that failed to start counts as acknowledged',
		file: shared('consumer/consumer'),
		from: "state.inFlight.settle(batch.id, 'nak', shortened((error as Error).message));",
		to: "state.inFlight.settle(batch.id, 'ack', shortened((error as Error).message));",
		test: 'in-process/trigger',
		title: 'n8n cannot start',
	},
	{
		name: 'a workflow that is unpublished keeps its consumer',
		file: shared('consumer/consumer'),
		from: 'if (!this.state.outage.isRefused) await this.pull({ holdMs: 0 });',
		to: '',
		test: 'in-process/trigger-publishing',
	},
	{
		name: 'a receiver that is away is asked without a pause',
		file: shared('consumer/consumer'),
		from: 'await this.pause(pauseAfter(grown, Math.random()));',
		to: 'await this.pause(0);',
		test: 'in-process/trigger-failures',
	},
	{
		name: 'n8n gets no key for the execution of a batch',
		file: 'nodes/RegisteredDeliveryTrigger/startExecution.ts',
		from: 'context.emit([items], response, done, `registered-delivery~${batchId}`);',
		to: 'context.emit([items], response, done);',
		test: 'in-process/trigger-worlds',
	},
	{
		name: 'any answer of n8n counts as woken',
		file: shared('consumer/wakeUps'),
		from: "return { outcome: mayHideAnother(statusCode) ? 'lost' : 'unreached', detail };",
		to: "return { outcome: statusCode < 300 ? 'resumed' : 'unreached', detail };",
		test: 'in-process/await-outcome-sleep',
		title: 'what n8n answers a page',
	},
	{
		name: 'the secret of a wait is not compared',
		file: shared('waiting/wakeUp'),
		from: 'if (!isSecretOf(sleeping.secretDigest, body.data.secret)) {',
		to: 'if (false) {',
		test: 'in-process/await-outcome-sleep',
		title: 'without the secret changes nothing',
	},
	{
		name: 'a late wake-up of an earlier round counts',
		file: shared('waiting/wakeUp'),
		from: "if (part === null) return sleepOn(context, 410, { wakeUp: 'over' });",
		to: '',
		test: 'in-process/await-outcome-sleep',
		title: 'who posts to the resume URL',
	},
	{
		name: 'wake-ups reach any node that waits at the URL',
		file: shared('waiting/registerWait'),
		from: 'resumeUrl.pathname += `/${RESUME_PATH}`;',
		to: '',
		test: 'in-process/await-outcome-sleep',
		title: 'sleeps, is woken by its own process',
	},
	{
		name: 'an execution sleeps without anything to wake it',
		file: shared('waiting/registerWait'),
		from: 'await assertWoken(context, Number(pulling) || 0);',
		to: '',
		test: 'in-process/await-outcome-sleep',
		title: 'does not sleep where no process would stay',
	},
	{
		name: 'the secret of a wait stays in n8n',
		file: shared('waiting/goToSleep'),
		from: 'secretDigest: digestOf(secret),',
		to: 'secretDigest: digestOf(secret),\n\t\t...{ secret },',
		test: 'in-process/await-outcome-sleep',
		title: 'keeps no secret but as a digest',
	},
	{
		name: 'nobody is reminded',
		file: shared('waiting/wakeUp'),
		from: 'if (now < Date.parse(deadline)) await interim.act(context, { id: ended.waitId, open });',
		to: '',
		test: 'in-process/await-consent',
		title: 'is reminded while',
	},
];
