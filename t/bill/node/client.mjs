// The official client, and the control calls of the stand-in.  A program calls
// ok(), is(), same() and done(); it prints one JSON object a line for
// t/lib/RblNode.pm: {ok, name, why}.

import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

const require = createRequire(`${process.env.NODE_PATH}/`);

export const Stripe = require('stripe');
export const input = JSON.parse(process.env.RBL_INPUT);

// A client; without options it makes no retries.
export function client(options = {}, key = input.key) {
    return new Stripe(key, { host: '127.0.0.1', port: input.port,
        protocol: 'http', maxNetworkRetries: 0, telemetry: false, ...options });
}

function say(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function ok(good, name, why = '') {
    say({ ok: !!good, name, why: good ? '' : String(why) });
}

export function same(got, want, name) {
    ok(isDeepStrictEqual(got, want), name,
        `got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

export const is = same;

// The client leaves the answers that it repeats unread, on open connections.
export function done() {
    say({ done: true });
    process.exit();
}

async function control(name, what = {}) {
    const answer = await fetch(`http://127.0.0.1:${input.port}/_test/${name}`,
        { method: 'POST', body: JSON.stringify(what) });
    const value = await answer.json();

    if (!answer.ok) {
        throw new Error(`${name}: ${value.error}`);
    }

    return value;
}

export const state = () => control('state');
export const fault = (kind, what) => control('fault', { fault: kind, ...what });
export const clock = (add) => control('clock', { add });
export const complete = (session, card, what) =>
    control('complete', { session, card, ...what });
export const card = (method, what) =>
    control('card', { payment_method: method, ...what });

// The error of a call that must fail.
export async function failure(promise) {
    try {
        const value = await promise;

        return { type: 'none', value };
    } catch (error) {
        return error;
    }
}

// A call must fail with these members; "raw" are members of the JSON.
export async function fails(promise, want, name, raw = {}) {
    const error = await failure(promise);
    const pick = (from, like) => Object.fromEntries(Object.keys(like)
        .map((key) => [key, from?.[key]]));

    same({ ...pick(error, want), ...pick(error.raw, raw) }, { ...want, ...raw },
        name);

    return error;
}

// Parameters of a payment for an account and a period.
export function payment(account, period, more = {}) {
    return { amount: 2500, currency: 'usd', confirm: true, off_session: true,
        error_on_requires_action: true, payment_method: 'pm_card_visa',
        metadata: { account, period }, ...more };
}
