// The receiver serves the library at this address.
export * from 'lit-html';
