/** What the test gives to a program, and what the program tells it. */
declare const server: string;
declare const url: string;
declare const token: string;
declare const told: { report?: object; problem?: object; batch?: number | undefined };
