// Nodes as they are, with a hand on what n8n gives them, or on what they go on to do.
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';

/** The node, and its runs: n8n does not wait for one whose execution is stopped. */
export function followed(node: INodeType) {
	const runs: Array<Promise<INodeExecutionData[][]>> = [];
	const execute = node.execute as (this: IExecuteFunctions) => (typeof runs)[number];
	node.execute = async function () {
		const run = execute.call(this);
		runs.push(run);
		return await run;
	};
	return { node, runs };
}

/** Send Letter, whose helpers of n8n's are changed before it runs. */
export function sendLetterWith(change: (helpers: IExecuteFunctions['helpers']) => void): INodeType {
	const node: INodeType = new SendLetter();
	node.execute = async function () {
		change(this.helpers);
		return await SendLetter.prototype.execute.call(this);
	};
	return node;
}
