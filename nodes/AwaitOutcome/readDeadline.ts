import type { IExecuteFunctions } from 'n8n-workflow';

import { parameterError } from '../shared/perItem';
import { deadlineAfter, deadlineAt } from './deadline';

/** The deadline of all items, which is that of the first: they wait together. May be past. */
export function readDeadline(context: IExecuteFunctions, now: number): number {
	if (context.getNodeParameter('deadlineMode', 0, 'after') === 'at') {
		const value = context.getNodeParameter('deadlineAt', 0, '');
		const result = deadlineAt(value, context.getTimezone(), now);
		if ('problem' in result) throw parameterError(context, 0, 'Wait Until', result.problem);
		return result.at;
	}
	const amount = context.getNodeParameter('deadlineAmount', 0, 30);
	const unit = context.getNodeParameter('deadlineUnit', 0, 'days');
	const result = deadlineAfter(amount, unit, now);
	if ('problem' in result) throw parameterError(context, 0, 'Wait For', result.problem);
	return result.at;
}
