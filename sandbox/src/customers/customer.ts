import { randomUUID } from 'node:crypto';
import { newId } from '../state/ids.ts';
import type { Customer, CustomerState } from '../state/model.ts';

type Wanted = Pick<Customer, 'name' | 'email' | 'isPaying' | 'willSendLre'>;

/** A customer without any request yet. */
export const newCustomer = (
	wanted: Wanted,
	accountId: string,
	now: number,
	state: CustomerState = 'PENDING',
): Customer => ({
	...wanted,
	id: randomUUID(),
	accountId,
	state,
	delegationToken: newId('delegation'),
	userId: randomUUID(),
	logo: null,
	createdAt: now,
	updatedAt: now,
});
