'use strict';

/*
 * Judges requests of webhooks by what their receivers would use: npm stripe
 * (X-Webhook-Signature is made as Stripe's) and npm standardwebhooks.  Each
 * line of standard input is {headers, body, secret, later}: it is looked at so
 * many seconds later.  Each line of the answer is {stripe, standard}: "ok", or
 * what the verifier said.
 */

const readline = require('readline');
const Stripe = require('stripe');
const { Webhook } = require('standardwebhooks');

const stripe = new Stripe('sk_test_none');
const now = Date.now;

function judge(verify) {
    try {
        const event = verify();
        return event && event.event_sid ? 'ok' : 'another event';
    } catch (e) {
        return String(e.message).split('\n')[0];
    }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const r = JSON.parse(line);
    const body = Buffer.from(r.body, 'base64').toString('utf8');
    Date.now = () => now() + (r.later || 0) * 1000;
    const format = r.secret.startsWith('whsec_') ? undefined
        : { format: 'raw' };

    console.log(JSON.stringify({
        stripe: judge(() => stripe.webhooks.constructEvent(body,
            r.headers['x-webhook-signature'], r.secret, 300)),
        standard: judge(() => new Webhook(r.secret, format)
            .verify(body, r.headers)),
    }));
});
