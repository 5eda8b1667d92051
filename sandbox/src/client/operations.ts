// Written by `npm run openapi`, from the endpoints in src/control. Do not edit.

export interface paths {
	'/_sandbox/state': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Everything except secrets */
		get: operations['getState'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/reset': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Restore the seeds, with the same credentials */
		post: operations['reset'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/clock/advance': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Advance the time; everything due by then happens */
		post: operations['advanceClock'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/clock': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** The current time, and whether it is frozen */
		get: operations['getClock'];
		/** Set the time, running or frozen; everything due by then happens */
		put: operations['setClock'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/address': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Set the service’s public address, used in links until the sandbox stops */
		put: operations['setAddress'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/webhooks': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Set the webhook endpoints */
		put: operations['setWebhooks'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/rate-limit': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Limit requests per account; more get a 429 with Retry-After */
		put: operations['setRateLimit'];
		post?: never;
		/** Remove the rate limit */
		delete: operations['clearRateLimit'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/ca.pem': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** The certificate authority that clients must trust */
		get: operations['getCaCertificate'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/openapi.json': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** The OpenAPI description of the service */
		get: operations['getServiceDescription'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/jwks.json': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** The public key for webhooks signed with `jwks` */
		get: operations['getSigningKeys'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/faults': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Active faults, and how often each was applied */
		get: operations['getFaults'];
		put?: never;
		/** Add faults; each request gets the first one that matches */
		post: operations['addFaults'];
		/** Remove all faults */
		delete: operations['clearFaults'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/ledger': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Letters the service accepted, to compare with a client’s records */
		get: operations['getLedger'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/latency': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Response latency by path */
		get: operations['getLatency'];
		/** Set response latency; the first matching rule applies */
		put: operations['setLatency'];
		post?: never;
		/** Remove all latency */
		delete: operations['clearLatency'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/snapshots': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** All snapshots, by name */
		get: operations['getSnapshots'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/snapshots/{name}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Save the current state, replacing any snapshot with this name */
		put: operations['saveSnapshot'];
		post?: never;
		/** Delete a snapshot */
		delete: operations['deleteSnapshot'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/snapshots/{name}/restore': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Restore everything, including the time and scheduled steps */
		post: operations['restoreSnapshot'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Tokens, certificates and keys */
		get: operations['getAccounts'];
		put?: never;
		/** Add an account; a reset removes it */
		post: operations['createAccount'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts/{name}/kyc': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** End or renew the verification of an account’s identity */
		put: operations['setKyc'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts/{name}/payment': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Accept or refuse the payments of an account: while refused, resends get a 402 */
		put: operations['setPayment'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts/{name}/certificates': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Issue and register a client certificate, or register one of your own */
		post: operations['issueCertificate'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts/{name}/client.pem': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** An account’s first client certificate with a known key, and the key */
		get: operations['getClientPem'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/accounts/{name}/certificates/{fingerprint}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		post?: never;
		/** Remove a client certificate from its account */
		delete: operations['removeCertificate'];
		options?: never;
		head?: never;
		/** Set when a client certificate expires or was first used */
		patch: operations['changeCertificate'];
		trace?: never;
	};
	'/_sandbox/letters': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Add letters to an account, each with a history */
		post: operations['placeLetters'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/messages/{id}/{trigger}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Trigger an event on a message, as its recipient or the mail network would */
		post: operations['actOnMessage'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/customers/{id}/state': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		/** Set a customer’s state directly */
		put: operations['setCustomerState'];
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/customers/{id}/{answer}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Answer a delegation as the customer would */
		post: operations['answerAsCustomer'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/consents/{id}/{answer}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Answer a consent request as the contact would */
		post: operations['answerConsent'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/scenarios': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** All scenarios, with descriptions */
		get: operations['getScenarios'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/scenarios/{name}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Run a scenario’s calls in order */
		post: operations['playScenario'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/requests': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Requests to the service with their responses, newest first; can wait for a match */
		get: operations['listRequests'];
		put?: never;
		post?: never;
		/** Clear the request journal */
		delete: operations['clearRequests'];
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/requests/{id}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** One request with its response */
		get: operations['getRequest'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/mails': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Mails, newest first; can wait for a match */
		get: operations['listMails'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/mails/{id}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** One mail */
		get: operations['getMail'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/messages': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Messages, newest first; can wait for a match */
		get: operations['listMessages'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/messages/{id}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** One message with its mails, webhooks and related requests */
		get: operations['getMessage'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/webhook-attempts': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Webhook attempts with payload and response, newest first; can wait for a match */
		get: operations['listWebhookAttempts'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/webhook-attempts/{id}': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** One webhook attempt */
		get: operations['getWebhookAttempt'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/webhook-attempts/{id}/resend': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		get?: never;
		put?: never;
		/** Resend an attempt’s payload, newly signed, and wait for the response */
		post: operations['resendWebhook'];
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/events': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** Server-sent events: mail, message, request, webhook, change, missed. Resumes after Last-Event-ID */
		get: operations['followEvents'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
	'/_sandbox/control-openapi.json': {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		/** This description */
		get: operations['getControlDescription'];
		put?: never;
		post?: never;
		delete?: never;
		options?: never;
		head?: never;
		patch?: never;
		trace?: never;
	};
}
export type webhooks = Record<string, never>;
export interface components {
	schemas: {
		Account: {
			id: string;
			name: string;
			company: string;
			/** @enum {string} */
			role: 'direct' | 'reseller';
			kyc: boolean;
			paymentRefused: boolean;
			certificates: {
				fingerprint: string;
				/** Format: date-time */
				expiresAt: string;
				firstUsedAt: string | null;
			}[];
		};
		AccountAccess: {
			id: string;
			name: string;
			company: string;
			/** @enum {string} */
			role: 'direct' | 'reseller';
			kyc: boolean;
			token: string;
			certificate: string | null;
			key: string | null;
			customers: {
				id: string;
				name: string;
				/** @enum {string} */
				state: 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';
			}[];
		};
		ActiveFault:
			| {
					/** @enum {string} */
					method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
					path?: string;
					/** @default 0 */
					skip: number;
					times?: number | null;
					forMs?: number;
					fault:
						| {
								/** @constant */
								kind: 'status';
								status: number;
								retryAfter?: number | string;
								code?: string;
								message?: string;
						  }
						| {
								/** @constant */
								kind: 'answer';
								status: number;
								/** @default  */
								body: string;
								contentType?: string;
								/** @default {} */
								headers: {
									[key: string]: string;
								};
								/** @default false */
								processed: boolean;
								/** @default false */
								reset: boolean;
						  }
						| {
								/** @constant */
								kind: 'delay';
								ms: number;
						  }
						| {
								/** @constant */
								kind: 'cutBefore';
						  }
						| {
								/** @constant */
								kind: 'cutBody';
								/** @default 1 */
								afterBytes: number;
						  }
						| {
								/** @constant */
								kind: 'cutAfter';
						  }
						| {
								/** @constant */
								kind: 'cutAnswer';
						  }
						| {
								/** @constant */
								kind: 'cutHandshake';
						  };
					id: string;
					until: string | null;
					matched: number;
					happened: number;
			  }
			| {
					/** @enum {string} */
					method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
					path?: string;
					/** @default 0 */
					skip: number;
					times?: number | null;
					forMs?: number;
					seed: number;
					rates: {
						[key: string]: number;
					};
					id: string;
					until: string | null;
					matched: number;
					happened: number;
			  };
		Certificate: {
			fingerprint: string;
			/** Format: date-time */
			expiresAt: string;
			firstUsedAt: string | null;
			certificate: string;
		};
		Consent: {
			id: string;
			accountId: string;
			sender: string | null;
			/** @enum {string} */
			type: 'EMAIL' | 'LINK' | 'MANUAL';
			/** @enum {string} */
			state: 'PENDING' | 'ACCEPTED' | 'REFUSED';
			delayInDays: number | null;
			contact: {
				email: string;
				firstname: string | null;
				lastname: string | null;
				company: string | null;
				identifier: string | null;
				identifierType: ('SIREN' | 'BCE') | null;
			};
			/** Format: date-time */
			createdAt: string;
			answeredAt: string | null;
		};
		Customer: {
			id: string;
			accountId: string;
			name: string;
			email: string;
			isPaying: boolean;
			willSendLre: boolean;
			/** @enum {string} */
			state: 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';
			userId: string;
			logo: {
				id: string;
				name: string;
				contentType: string;
				size: number;
				sha256: string;
			} | null;
			/** Format: date-time */
			createdAt: string;
			/** Format: date-time */
			updatedAt: string;
		};
		Error: {
			message: string;
			code?: string;
		} & {
			[key: string]: unknown;
		};
		JournalBody: {
			size: number;
			text: string | null;
			truncated: boolean;
			fields: {
				name: string;
				value: string;
			}[];
			files: {
				field: string | null;
				name: string | null;
				contentType: string | null;
				size: number;
				sha256: string | null;
			}[];
		};
		JournaledRequest: {
			id: number;
			/** Format: date-time */
			at: string;
			method: string;
			path: string;
			url: string;
			account: string | null;
			/** @enum {string} */
			token: 'valid' | 'wrong' | 'missing';
			clientCertificate: boolean;
			status: number | null;
			answered: boolean;
			fault: string | null;
			duration: number;
			messageIds: string[];
			headers: {
				[key: string]: string;
			};
			body: components['schemas']['JournalBody'] | null;
			answer: {
				headers: {
					[key: string]: string;
				};
				body: components['schemas']['JournalBody'] | null;
			};
		};
		LedgerLine: {
			fileReference: string | null;
			customerReference: string | null;
			email: string;
			type: string;
			times: number;
			ids: string[];
		};
		Mail: {
			id: string;
			/** Format: date-time */
			at: string;
			to: string;
			subject: string;
			html: string;
			messageId: string | null;
			customerId: string | null;
			consentId: string | null;
			links: {
				name: string;
				size: number;
				path: string;
			}[];
		};
		Message: {
			id: string;
			accountId: string;
			sender: string | null;
			/** @enum {string} */
			type: 'LRE' | 'LS' | 'AS' | 'AES' | 'MT';
			/** @enum {string} */
			status:
				| 'SCHEDULED'
				| 'SENT'
				| 'RECEIVED'
				| 'OPENED'
				| 'ACCEPTED'
				| 'REFUSED'
				| 'UNDELIVERED'
				| 'EXPIRED'
				| 'FAILED'
				| 'CANCELLED';
			contact: {
				email: string;
				firstname: string | null;
				lastname: string | null;
				company: string | null;
				identifier: string | null;
				identifierType: ('SIREN' | 'BCE') | null;
			};
			body: string;
			fileReference: string | null;
			customerReference: string | null;
			includeSenderLogo: boolean;
			attachments: {
				id: string;
				name: string;
				contentType: string;
				size: number;
				sha256: string;
			}[];
			/** Format: date-time */
			createdAt: string;
			scheduledAt: string | null;
			resendOf: string | null;
			sentAt: string | null;
			history: {
				/** Format: date-time */
				at: string;
				what: string;
				/** @enum {string} */
				status:
					| 'SCHEDULED'
					| 'SENT'
					| 'RECEIVED'
					| 'OPENED'
					| 'ACCEPTED'
					| 'REFUSED'
					| 'UNDELIVERED'
					| 'EXPIRED'
					| 'FAILED'
					| 'CANCELLED';
			}[];
		};
		MessageStory: {
			id: string;
			accountId: string;
			sender: string | null;
			/** @enum {string} */
			type: 'LRE' | 'LS' | 'AS' | 'AES' | 'MT';
			/** @enum {string} */
			status:
				| 'SCHEDULED'
				| 'SENT'
				| 'RECEIVED'
				| 'OPENED'
				| 'ACCEPTED'
				| 'REFUSED'
				| 'UNDELIVERED'
				| 'EXPIRED'
				| 'FAILED'
				| 'CANCELLED';
			contact: {
				email: string;
				firstname: string | null;
				lastname: string | null;
				company: string | null;
				identifier: string | null;
				identifierType: ('SIREN' | 'BCE') | null;
			};
			body: string;
			fileReference: string | null;
			customerReference: string | null;
			includeSenderLogo: boolean;
			attachments: {
				id: string;
				name: string;
				contentType: string;
				size: number;
				sha256: string;
			}[];
			/** Format: date-time */
			createdAt: string;
			scheduledAt: string | null;
			resendOf: string | null;
			sentAt: string | null;
			history: {
				/** Format: date-time */
				at: string;
				what: string;
				/** @enum {string} */
				status:
					| 'SCHEDULED'
					| 'SENT'
					| 'RECEIVED'
					| 'OPENED'
					| 'ACCEPTED'
					| 'REFUSED'
					| 'UNDELIVERED'
					| 'EXPIRED'
					| 'FAILED'
					| 'CANCELLED';
			}[];
			mails: components['schemas']['Mail'][];
			webhookAttempts: components['schemas']['WebhookAttemptSummary'][];
			requests: components['schemas']['RequestSummary'][];
		};
		RequestSummary: {
			id: number;
			/** Format: date-time */
			at: string;
			method: string;
			path: string;
			url: string;
			account: string | null;
			/** @enum {string} */
			token: 'valid' | 'wrong' | 'missing';
			clientCertificate: boolean;
			status: number | null;
			answered: boolean;
			fault: string | null;
			duration: number;
			messageIds: string[];
		};
		Snapshot: {
			name: string;
			/** Format: date-time */
			savedAt: string;
			/** Format: date-time */
			now: string;
			messages: number;
		};
		State: {
			/** Format: date-time */
			now: string;
			accounts: components['schemas']['Account'][];
			customers: components['schemas']['Customer'][];
			consents: components['schemas']['Consent'][];
			messages: components['schemas']['Message'][];
			mails: components['schemas']['Mail'][];
			webhooks: {
				endpoints: components['schemas']['WebhookEndpoint'][];
			};
		};
		WebhookAttempt: {
			id: number;
			/** Format: date-time */
			at: string;
			url: string;
			events: {
				id: string;
				event: string;
				messageId: string;
			}[];
			attempt: number;
			resendOf: number | null;
			status: number | null;
			error: string | null;
			duration: number;
			headers: {
				[key: string]: string;
			};
			body: components['schemas']['JournalBody'] | null;
			answer: {
				headers: {
					[key: string]: string;
				};
				body: components['schemas']['JournalBody'] | null;
			} | null;
		};
		WebhookAttemptSummary: {
			id: number;
			/** Format: date-time */
			at: string;
			url: string;
			events: {
				id: string;
				event: string;
				messageId: string;
			}[];
			attempt: number;
			resendOf: number | null;
			status: number | null;
			error: string | null;
			duration: number;
		};
		WebhookEndpoint: {
			/** Format: uri */
			url: string;
			/** @enum {string} */
			signing?:
				| 'timestamped'
				| 'body'
				| 'standard'
				| 'shared-secret'
				| 'basic'
				| 'jws'
				| 'jwt'
				| 'jwks'
				| 'none';
			/** @enum {string} */
			shape?: 'flat' | 'typed' | 'nested' | 'header' | 'numeric' | 'minimal';
			/** @enum {string} */
			naming?: 'snake' | 'dotted' | 'dashed-upper';
			/** @enum {string} */
			spelling?: 'AES' | 'MT';
			/** @enum {string} */
			encoding?: 'json' | 'form';
			batch?: {
				size: number;
				/** @enum {string} */
				as: 'array' | 'events';
			};
			duplicates?: number;
			reorder?: boolean;
			waitMs?: number;
		};
	};
	responses: never;
	parameters: never;
	requestBodies: never;
	headers: never;
	pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
	getState: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['State'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	reset: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						/** @constant */
						reset: true;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	advanceClock: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					ms: number;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						/** Format: date-time */
						now: string;
						frozen: boolean;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getClock: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						/** Format: date-time */
						now: string;
						frozen: boolean;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setClock: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					/** Format: date-time */
					now?: string;
					frozen: boolean;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						/** Format: date-time */
						now: string;
						frozen: boolean;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setAddress: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					/** Format: uri */
					url: string;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						url: string;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setWebhooks: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					webhooks: {
						/** Format: uri */
						url: string;
						secret: string;
						/** @enum {string} */
						signing?:
							| 'timestamped'
							| 'body'
							| 'standard'
							| 'shared-secret'
							| 'basic'
							| 'jws'
							| 'jwt'
							| 'jwks'
							| 'none';
						/** @enum {string} */
						shape?: 'flat' | 'typed' | 'nested' | 'header' | 'numeric' | 'minimal';
						/** @enum {string} */
						naming?: 'snake' | 'dotted' | 'dashed-upper';
						/** @enum {string} */
						spelling?: 'AES' | 'MT';
						/** @enum {string} */
						encoding?: 'json' | 'form';
						batch?: {
							size: number;
							/** @enum {string} */
							as: 'array' | 'events';
						};
						duplicates?: number;
						reorder?: boolean;
						waitMs?: number;
					}[];
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						webhooks: components['schemas']['WebhookEndpoint'][];
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setRateLimit: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					requests: number;
					seconds: number;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						rateLimit: {
							requests: number;
							seconds: number;
						};
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	clearRateLimit: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						rateLimit: null;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getCaCertificate: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/x-pem-file': string;
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getServiceDescription: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						[key: string]: unknown;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getSigningKeys: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						keys: {
							[key: string]: unknown;
						}[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getFaults: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						faults: components['schemas']['ActiveFault'][];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	addFaults: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					faults: (
						| {
								/** @enum {string} */
								method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
								path?: string;
								/** @default 0 */
								skip?: number;
								times?: number | null;
								forMs?: number;
								fault:
									| {
											/** @constant */
											kind: 'status';
											status: number;
											retryAfter?: number | string;
											code?: string;
											message?: string;
									  }
									| {
											/** @constant */
											kind: 'answer';
											status: number;
											/** @default  */
											body?: string;
											contentType?: string;
											/** @default {} */
											headers?: {
												[key: string]: string;
											};
											/** @default false */
											processed?: boolean;
											/** @default false */
											reset?: boolean;
									  }
									| {
											/** @constant */
											kind: 'delay';
											ms: number;
									  }
									| {
											/** @constant */
											kind: 'cutBefore';
									  }
									| {
											/** @constant */
											kind: 'cutBody';
											/** @default 1 */
											afterBytes?: number;
									  }
									| {
											/** @constant */
											kind: 'cutAfter';
									  }
									| {
											/** @constant */
											kind: 'cutAnswer';
									  }
									| {
											/** @constant */
											kind: 'cutHandshake';
									  };
						  }
						| {
								/** @enum {string} */
								method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
								path?: string;
								/** @default 0 */
								skip?: number;
								times?: number | null;
								forMs?: number;
								seed: number;
								rates: {
									[key: string]: number;
								};
						  }
					)[];
				};
			};
		};
		responses: {
			/** @description Done */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						faults: components['schemas']['ActiveFault'][];
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	clearFaults: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						faults: components['schemas']['ActiveFault'][];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getLedger: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						letters: components['schemas']['LedgerLine'][];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getLatency: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						rules: {
							/** @enum {string} */
							method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
							path?: string;
							latency:
								| ('nearby' | 'office' | 'mobile' | 'slow-tail' | 'overloaded')
								| (
										| {
												/** @constant */
												kind: 'constant';
												ms: number;
										  }
										| {
												/** @constant */
												kind: 'jittered';
												ms: number;
												jitterMs: number;
										  }
										| {
												/** @constant */
												kind: 'slowTail';
												ms: number;
												tailMs: number;
												share: number;
										  }
								  );
							/** @default 1 */
							seed: number;
						}[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setLatency: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					rules: {
						/** @enum {string} */
						method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
						path?: string;
						latency:
							| ('nearby' | 'office' | 'mobile' | 'slow-tail' | 'overloaded')
							| (
									| {
											/** @constant */
											kind: 'constant';
											ms: number;
									  }
									| {
											/** @constant */
											kind: 'jittered';
											ms: number;
											jitterMs: number;
									  }
									| {
											/** @constant */
											kind: 'slowTail';
											ms: number;
											tailMs: number;
											share: number;
									  }
							  );
						/** @default 1 */
						seed?: number;
					}[];
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						rules: {
							/** @enum {string} */
							method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
							path?: string;
							latency:
								| ('nearby' | 'office' | 'mobile' | 'slow-tail' | 'overloaded')
								| (
										| {
												/** @constant */
												kind: 'constant';
												ms: number;
										  }
										| {
												/** @constant */
												kind: 'jittered';
												ms: number;
												jitterMs: number;
										  }
										| {
												/** @constant */
												kind: 'slowTail';
												ms: number;
												tailMs: number;
												share: number;
										  }
								  );
							/** @default 1 */
							seed: number;
						}[];
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	clearLatency: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						rules: {
							/** @enum {string} */
							method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
							path?: string;
							latency:
								| ('nearby' | 'office' | 'mobile' | 'slow-tail' | 'overloaded')
								| (
										| {
												/** @constant */
												kind: 'constant';
												ms: number;
										  }
										| {
												/** @constant */
												kind: 'jittered';
												ms: number;
												jitterMs: number;
										  }
										| {
												/** @constant */
												kind: 'slowTail';
												ms: number;
												tailMs: number;
												share: number;
										  }
								  );
							/** @default 1 */
							seed: number;
						}[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getSnapshots: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						snapshots: components['schemas']['Snapshot'][];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	saveSnapshot: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Snapshot'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	deleteSnapshot: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						name: string;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	restoreSnapshot: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Snapshot'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The snapshot is damaged or from another version */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getAccounts: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						accounts: components['schemas']['AccountAccess'][];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	createAccount: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					name: string;
					company: string;
					/** @enum {string} */
					role: 'direct' | 'reseller';
					/** @default false */
					kyc?: boolean;
				};
			};
		};
		responses: {
			/** @description Done */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['AccountAccess'];
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description An account with this name already exists */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setKyc: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					valid: boolean;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						name: string;
						kyc: boolean;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setPayment: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					accepted: boolean;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						name: string;
						accepted: boolean;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	issueCertificate: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: {
			content: {
				'application/json': {
					pem?: string;
				};
			};
		};
		responses: {
			/** @description Done */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						fingerprint: string;
						/** Format: date-time */
						expiresAt: string;
						firstUsedAt: string | null;
						certificate: string;
						key: string | null;
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The account has no valid KYC, or has this certificate already */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getClientPem: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/x-pem-file': string;
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	removeCertificate: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
				fingerprint: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Certificate'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	changeCertificate: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
				fingerprint: string;
			};
			cookie?: never;
		};
		requestBody?: {
			content: {
				'application/json': {
					/** Format: date-time */
					expiresAt?: string;
					firstUsedAt?: string | null;
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Certificate'];
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	placeLetters: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					/** @default direct */
					account?: string;
					letters: {
						/** @enum {string} */
						type: 'LRE' | 'LS' | 'AS' | 'AES' | 'MT';
						email: string;
						/** @default Ada */
						firstname?: string;
						/** @default Lovelace */
						lastname?: string;
						/** @default <p>Good morning</p> */
						body?: string;
						/** @default null */
						fileReference?: string | null;
						scheduledInMs?: number;
						/** @default [] */
						happens?: (
							| 'deliver'
							| 'open'
							| 'bounce'
							| 'accept'
							| 'refuse'
							| 'fail'
							| 'expire'
							| 'cancel'
						)[];
					}[];
				};
			};
		};
		responses: {
			/** @description Done */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						messages: {
							id: string;
							/** @enum {string} */
							status:
								| 'SCHEDULED'
								| 'SENT'
								| 'RECEIVED'
								| 'OPENED'
								| 'ACCEPTED'
								| 'REFUSED'
								| 'UNDELIVERED'
								| 'EXPIRED'
								| 'FAILED'
								| 'CANCELLED';
						}[];
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Account not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description A letter’s history is impossible; the letters before it were added */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	actOnMessage: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
				trigger: 'deliver' | 'open' | 'bounce' | 'accept' | 'refuse' | 'fail' | 'expire';
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						id: string;
						/** @enum {string} */
						status:
							| 'SCHEDULED'
							| 'SENT'
							| 'RECEIVED'
							| 'OPENED'
							| 'ACCEPTED'
							| 'REFUSED'
							| 'UNDELIVERED'
							| 'EXPIRED'
							| 'FAILED'
							| 'CANCELLED';
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not possible in the message’s current state */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	setCustomerState: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
			};
			cookie?: never;
		};
		requestBody: {
			content: {
				'application/json': {
					/** @enum {string} */
					state: 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';
				};
			};
		};
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						id: string;
						/** @enum {string} */
						state: 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';
					};
				};
			};
			/** @description The body cannot be read */
			400: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description The body is too large */
			413: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	answerAsCustomer: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
				answer: 'accept' | 'refuse' | 'revoke' | 'cancel';
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						id: string;
						/** @enum {string} */
						state: 'PENDING' | 'ACCEPTED' | 'REFUSED' | 'REVOKED' | 'CANCELLED';
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not possible in the customer’s current state */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	answerConsent: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
				answer: 'accept' | 'refuse';
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						id: string;
						/** @enum {string} */
						state: 'PENDING' | 'ACCEPTED' | 'REFUSED';
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not possible in the consent’s current state */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getScenarios: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						scenarios: {
							name: string;
							description: string;
						}[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	playScenario: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				name: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						name: string;
						answers: {
							call: string;
							answer: unknown;
						}[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description A call failed; the calls before it were made */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	listRequests: {
		parameters: {
			query?: {
				path?: string;
				method?: string;
				status?: string;
				account?: string;
				messageId?: string;
				text?: string;
				since?: string;
				limit?: number;
				before?: string;
				count?: number;
				wait?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						requests: components['schemas']['JournaledRequest'][];
						total: number;
						next: string | null;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	clearRequests: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						requests: unknown[];
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getRequest: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: number;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['JournaledRequest'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	listMails: {
		parameters: {
			query?: {
				to?: string;
				messageId?: string;
				text?: string;
				since?: string;
				limit?: number;
				before?: string;
				count?: number;
				wait?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						mails: components['schemas']['Mail'][];
						total: number;
						next: string | null;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getMail: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Mail'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	listMessages: {
		parameters: {
			query?: {
				to?: string;
				type?: 'LRE' | 'LS' | 'AS' | 'AES' | 'MT';
				status?:
					| 'SCHEDULED'
					| 'SENT'
					| 'RECEIVED'
					| 'OPENED'
					| 'ACCEPTED'
					| 'REFUSED'
					| 'UNDELIVERED'
					| 'EXPIRED'
					| 'FAILED'
					| 'CANCELLED';
				text?: string;
				since?: string;
				limit?: number;
				before?: string;
				count?: number;
				wait?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						messages: components['schemas']['Message'][];
						total: number;
						next: string | null;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getMessage: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: string;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['MessageStory'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	listWebhookAttempts: {
		parameters: {
			query?: {
				messageId?: string;
				event?: string;
				url?: string;
				status?: string;
				text?: string;
				since?: string;
				limit?: number;
				before?: string;
				count?: number;
				wait?: number;
			};
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						webhookAttempts: components['schemas']['WebhookAttempt'][];
						total: number;
						next: string | null;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Invalid input; `data.errors` names each field */
			422: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getWebhookAttempt: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: number;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['WebhookAttempt'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	resendWebhook: {
		parameters: {
			query?: never;
			header?: never;
			path: {
				id: number;
			};
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			201: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['WebhookAttempt'];
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description Not found */
			404: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
			/** @description No webhook endpoint has that address any more */
			409: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	followEvents: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'text/event-stream':
						| components['schemas']['Mail']
						| {
								id: string;
								/** @enum {string} */
								type: 'LRE' | 'LS' | 'AS' | 'AES' | 'MT';
								/** @enum {string} */
								status:
									| 'SCHEDULED'
									| 'SENT'
									| 'RECEIVED'
									| 'OPENED'
									| 'ACCEPTED'
									| 'REFUSED'
									| 'UNDELIVERED'
									| 'EXPIRED'
									| 'FAILED'
									| 'CANCELLED';
								contact: {
									email: string;
									firstname: string | null;
									lastname: string | null;
									company: string | null;
									identifier: string | null;
									identifierType: ('SIREN' | 'BCE') | null;
								};
								fileReference: string | null;
								customerReference: string | null;
								resendOf: string | null;
								/** Format: date-time */
								at: string;
								what: string;
						  }
						| components['schemas']['RequestSummary']
						| components['schemas']['WebhookAttemptSummary']
						| Record<string, never>;
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
	getControlDescription: {
		parameters: {
			query?: never;
			header?: never;
			path?: never;
			cookie?: never;
		};
		requestBody?: never;
		responses: {
			/** @description Done */
			200: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': {
						[key: string]: unknown;
					};
				};
			};
			/** @description Requested by another web site */
			403: {
				headers: {
					[name: string]: unknown;
				};
				content: {
					'application/json': components['schemas']['Error'];
				};
			};
		};
	};
}

/** Where each operation is. */
export const CALLS = {
	getState: { method: 'GET', path: '/_sandbox/state', query: [], answers: 'json' },
	reset: { method: 'POST', path: '/_sandbox/reset', query: [], answers: 'json' },
	advanceClock: { method: 'POST', path: '/_sandbox/clock/advance', query: [], answers: 'json' },
	setClock: { method: 'PUT', path: '/_sandbox/clock', query: [], answers: 'json' },
	getClock: { method: 'GET', path: '/_sandbox/clock', query: [], answers: 'json' },
	setAddress: { method: 'PUT', path: '/_sandbox/address', query: [], answers: 'json' },
	setWebhooks: { method: 'PUT', path: '/_sandbox/webhooks', query: [], answers: 'json' },
	setRateLimit: { method: 'PUT', path: '/_sandbox/rate-limit', query: [], answers: 'json' },
	clearRateLimit: { method: 'DELETE', path: '/_sandbox/rate-limit', query: [], answers: 'json' },
	getCaCertificate: { method: 'GET', path: '/_sandbox/ca.pem', query: [], answers: 'text' },
	getServiceDescription: {
		method: 'GET',
		path: '/_sandbox/openapi.json',
		query: [],
		answers: 'json',
	},
	getSigningKeys: { method: 'GET', path: '/_sandbox/jwks.json', query: [], answers: 'json' },
	getFaults: { method: 'GET', path: '/_sandbox/faults', query: [], answers: 'json' },
	addFaults: { method: 'POST', path: '/_sandbox/faults', query: [], answers: 'json' },
	clearFaults: { method: 'DELETE', path: '/_sandbox/faults', query: [], answers: 'json' },
	getLedger: { method: 'GET', path: '/_sandbox/ledger', query: [], answers: 'json' },
	getLatency: { method: 'GET', path: '/_sandbox/latency', query: [], answers: 'json' },
	setLatency: { method: 'PUT', path: '/_sandbox/latency', query: [], answers: 'json' },
	clearLatency: { method: 'DELETE', path: '/_sandbox/latency', query: [], answers: 'json' },
	getSnapshots: { method: 'GET', path: '/_sandbox/snapshots', query: [], answers: 'json' },
	saveSnapshot: { method: 'PUT', path: '/_sandbox/snapshots/{name}', query: [], answers: 'json' },
	restoreSnapshot: {
		method: 'POST',
		path: '/_sandbox/snapshots/{name}/restore',
		query: [],
		answers: 'json',
	},
	deleteSnapshot: {
		method: 'DELETE',
		path: '/_sandbox/snapshots/{name}',
		query: [],
		answers: 'json',
	},
	getAccounts: { method: 'GET', path: '/_sandbox/accounts', query: [], answers: 'json' },
	createAccount: { method: 'POST', path: '/_sandbox/accounts', query: [], answers: 'json' },
	setKyc: { method: 'PUT', path: '/_sandbox/accounts/{name}/kyc', query: [], answers: 'json' },
	setPayment: {
		method: 'PUT',
		path: '/_sandbox/accounts/{name}/payment',
		query: [],
		answers: 'json',
	},
	issueCertificate: {
		method: 'POST',
		path: '/_sandbox/accounts/{name}/certificates',
		query: [],
		answers: 'json',
	},
	getClientPem: {
		method: 'GET',
		path: '/_sandbox/accounts/{name}/client.pem',
		query: [],
		answers: 'text',
	},
	changeCertificate: {
		method: 'PATCH',
		path: '/_sandbox/accounts/{name}/certificates/{fingerprint}',
		query: [],
		answers: 'json',
	},
	removeCertificate: {
		method: 'DELETE',
		path: '/_sandbox/accounts/{name}/certificates/{fingerprint}',
		query: [],
		answers: 'json',
	},
	placeLetters: { method: 'POST', path: '/_sandbox/letters', query: [], answers: 'json' },
	actOnMessage: {
		method: 'POST',
		path: '/_sandbox/messages/{id}/{trigger}',
		query: [],
		answers: 'json',
	},
	setCustomerState: {
		method: 'PUT',
		path: '/_sandbox/customers/{id}/state',
		query: [],
		answers: 'json',
	},
	answerAsCustomer: {
		method: 'POST',
		path: '/_sandbox/customers/{id}/{answer}',
		query: [],
		answers: 'json',
	},
	answerConsent: {
		method: 'POST',
		path: '/_sandbox/consents/{id}/{answer}',
		query: [],
		answers: 'json',
	},
	getScenarios: { method: 'GET', path: '/_sandbox/scenarios', query: [], answers: 'json' },
	playScenario: { method: 'POST', path: '/_sandbox/scenarios/{name}', query: [], answers: 'json' },
	listRequests: {
		method: 'GET',
		path: '/_sandbox/requests',
		query: [
			'path',
			'method',
			'status',
			'account',
			'messageId',
			'text',
			'since',
			'limit',
			'before',
			'count',
			'wait',
		],
		answers: 'json',
	},
	clearRequests: { method: 'DELETE', path: '/_sandbox/requests', query: [], answers: 'json' },
	getRequest: { method: 'GET', path: '/_sandbox/requests/{id}', query: [], answers: 'json' },
	listMails: {
		method: 'GET',
		path: '/_sandbox/mails',
		query: ['to', 'messageId', 'text', 'since', 'limit', 'before', 'count', 'wait'],
		answers: 'json',
	},
	getMail: { method: 'GET', path: '/_sandbox/mails/{id}', query: [], answers: 'json' },
	listMessages: {
		method: 'GET',
		path: '/_sandbox/messages',
		query: ['to', 'type', 'status', 'text', 'since', 'limit', 'before', 'count', 'wait'],
		answers: 'json',
	},
	getMessage: { method: 'GET', path: '/_sandbox/messages/{id}', query: [], answers: 'json' },
	listWebhookAttempts: {
		method: 'GET',
		path: '/_sandbox/webhook-attempts',
		query: [
			'messageId',
			'event',
			'url',
			'status',
			'text',
			'since',
			'limit',
			'before',
			'count',
			'wait',
		],
		answers: 'json',
	},
	getWebhookAttempt: {
		method: 'GET',
		path: '/_sandbox/webhook-attempts/{id}',
		query: [],
		answers: 'json',
	},
	resendWebhook: {
		method: 'POST',
		path: '/_sandbox/webhook-attempts/{id}/resend',
		query: [],
		answers: 'json',
	},
	followEvents: { method: 'GET', path: '/_sandbox/events', query: [], answers: 'events' },
	getControlDescription: {
		method: 'GET',
		path: '/_sandbox/control-openapi.json',
		query: [],
		answers: 'json',
	},
} as const;
