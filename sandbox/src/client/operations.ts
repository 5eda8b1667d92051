// Written by `npm run openapi`, from the endpoints in src/control. Do not edit.

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
						firstname?: string;
						lastname?: string;
						company?: string;
						identifier?: string;
						/** @enum {string} */
						identifierType?: 'SIREN' | 'BCE';
						/** @default <p>Good morning</p> */
						body?: string;
						/** @default null */
						fileReference?: string | null;
						/** @default null */
						customerReference?: string | null;
						/** @default null */
						sender?: string | null;
						/** @default [] */
						attachments?: {
							name: string;
							/** Format: base64 */
							content: string;
							/** @default application/octet-stream */
							contentType?: string;
						}[];
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
	getState: { method: 'GET', path: '/_sandbox/state', query: [], type: 'application/json' },
	reset: { method: 'POST', path: '/_sandbox/reset', query: [], type: 'application/json' },
	advanceClock: {
		method: 'POST',
		path: '/_sandbox/clock/advance',
		query: [],
		type: 'application/json',
	},
	setClock: { method: 'PUT', path: '/_sandbox/clock', query: [], type: 'application/json' },
	getClock: { method: 'GET', path: '/_sandbox/clock', query: [], type: 'application/json' },
	setAddress: { method: 'PUT', path: '/_sandbox/address', query: [], type: 'application/json' },
	setWebhooks: { method: 'PUT', path: '/_sandbox/webhooks', query: [], type: 'application/json' },
	setRateLimit: {
		method: 'PUT',
		path: '/_sandbox/rate-limit',
		query: [],
		type: 'application/json',
	},
	clearRateLimit: {
		method: 'DELETE',
		path: '/_sandbox/rate-limit',
		query: [],
		type: 'application/json',
	},
	getCaCertificate: {
		method: 'GET',
		path: '/_sandbox/ca.pem',
		query: [],
		type: 'application/x-pem-file',
	},
	getServiceDescription: {
		method: 'GET',
		path: '/_sandbox/openapi.json',
		query: [],
		type: 'application/json',
	},
	getSigningKeys: {
		method: 'GET',
		path: '/_sandbox/jwks.json',
		query: [],
		type: 'application/json',
	},
	getFaults: { method: 'GET', path: '/_sandbox/faults', query: [], type: 'application/json' },
	addFaults: { method: 'POST', path: '/_sandbox/faults', query: [], type: 'application/json' },
	clearFaults: { method: 'DELETE', path: '/_sandbox/faults', query: [], type: 'application/json' },
	getLedger: { method: 'GET', path: '/_sandbox/ledger', query: [], type: 'application/json' },
	getLatency: { method: 'GET', path: '/_sandbox/latency', query: [], type: 'application/json' },
	setLatency: { method: 'PUT', path: '/_sandbox/latency', query: [], type: 'application/json' },
	clearLatency: {
		method: 'DELETE',
		path: '/_sandbox/latency',
		query: [],
		type: 'application/json',
	},
	getSnapshots: { method: 'GET', path: '/_sandbox/snapshots', query: [], type: 'application/json' },
	saveSnapshot: {
		method: 'PUT',
		path: '/_sandbox/snapshots/{name}',
		query: [],
		type: 'application/json',
	},
	restoreSnapshot: {
		method: 'POST',
		path: '/_sandbox/snapshots/{name}/restore',
		query: [],
		type: 'application/json',
	},
	deleteSnapshot: {
		method: 'DELETE',
		path: '/_sandbox/snapshots/{name}',
		query: [],
		type: 'application/json',
	},
	getAccounts: { method: 'GET', path: '/_sandbox/accounts', query: [], type: 'application/json' },
	createAccount: {
		method: 'POST',
		path: '/_sandbox/accounts',
		query: [],
		type: 'application/json',
	},
	setKyc: {
		method: 'PUT',
		path: '/_sandbox/accounts/{name}/kyc',
		query: [],
		type: 'application/json',
	},
	setPayment: {
		method: 'PUT',
		path: '/_sandbox/accounts/{name}/payment',
		query: [],
		type: 'application/json',
	},
	issueCertificate: {
		method: 'POST',
		path: '/_sandbox/accounts/{name}/certificates',
		query: [],
		type: 'application/json',
	},
	getClientPem: {
		method: 'GET',
		path: '/_sandbox/accounts/{name}/client.pem',
		query: [],
		type: 'application/x-pem-file',
	},
	changeCertificate: {
		method: 'PATCH',
		path: '/_sandbox/accounts/{name}/certificates/{fingerprint}',
		query: [],
		type: 'application/json',
	},
	removeCertificate: {
		method: 'DELETE',
		path: '/_sandbox/accounts/{name}/certificates/{fingerprint}',
		query: [],
		type: 'application/json',
	},
	placeLetters: { method: 'POST', path: '/_sandbox/letters', query: [], type: 'application/json' },
	actOnMessage: {
		method: 'POST',
		path: '/_sandbox/messages/{id}/{trigger}',
		query: [],
		type: 'application/json',
	},
	setCustomerState: {
		method: 'PUT',
		path: '/_sandbox/customers/{id}/state',
		query: [],
		type: 'application/json',
	},
	answerAsCustomer: {
		method: 'POST',
		path: '/_sandbox/customers/{id}/{answer}',
		query: [],
		type: 'application/json',
	},
	answerConsent: {
		method: 'POST',
		path: '/_sandbox/consents/{id}/{answer}',
		query: [],
		type: 'application/json',
	},
	getScenarios: { method: 'GET', path: '/_sandbox/scenarios', query: [], type: 'application/json' },
	playScenario: {
		method: 'POST',
		path: '/_sandbox/scenarios/{name}',
		query: [],
		type: 'application/json',
	},
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
		type: 'application/json',
	},
	clearRequests: {
		method: 'DELETE',
		path: '/_sandbox/requests',
		query: [],
		type: 'application/json',
	},
	getRequest: {
		method: 'GET',
		path: '/_sandbox/requests/{id}',
		query: [],
		type: 'application/json',
	},
	listMails: {
		method: 'GET',
		path: '/_sandbox/mails',
		query: ['to', 'messageId', 'text', 'since', 'limit', 'before', 'count', 'wait'],
		type: 'application/json',
	},
	getMail: { method: 'GET', path: '/_sandbox/mails/{id}', query: [], type: 'application/json' },
	listMessages: {
		method: 'GET',
		path: '/_sandbox/messages',
		query: ['to', 'type', 'status', 'text', 'since', 'limit', 'before', 'count', 'wait'],
		type: 'application/json',
	},
	getMessage: {
		method: 'GET',
		path: '/_sandbox/messages/{id}',
		query: [],
		type: 'application/json',
	},
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
		type: 'application/json',
	},
	getWebhookAttempt: {
		method: 'GET',
		path: '/_sandbox/webhook-attempts/{id}',
		query: [],
		type: 'application/json',
	},
	resendWebhook: {
		method: 'POST',
		path: '/_sandbox/webhook-attempts/{id}/resend',
		query: [],
		type: 'application/json',
	},
	followEvents: { method: 'GET', path: '/_sandbox/events', query: [], type: 'text/event-stream' },
	getControlDescription: {
		method: 'GET',
		path: '/_sandbox/control-openapi.json',
		query: [],
		type: 'application/json',
	},
} as const;
