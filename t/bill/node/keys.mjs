// Idempotency keys, faults, and the client's own retries: what is charged, and
// how often.

import { card, client, clock, done, fails, fault, is, ok, payment, same,
    state } from './client.mjs';

const stripe = client();
const patient = client({ maxNetworkRetries: 8 });
let n = 0;

// A payment of a period of its own: pays(client, more, key), charged(),
// requests().
function next() {
    const key = `PY${++n}-1`;

    return { key,
        pays: (by = stripe, more = {}, keyed = key) =>
            by.paymentIntents.create(payment('AC1', `p${key}`, more),
                { idempotencyKey: keyed }),
        charged: async () => (await state()).by_period[`AC1 p${key}`] ?? 0,
        requests: async () => (await state()).log
            .filter(({ key: k }) => k === key) };
}

// replays

const a = next();
const first = await a.pays();
const again = await a.pays();

is(first.lastResponse.headers['idempotent-replayed'], undefined,
    'the first answer is no replay');
is(again.lastResponse.headers['idempotent-replayed'], 'true', 'the second is');
is(again.lastResponse.headers['original-request'],
    first.lastResponse.requestId, 'of the first request');
ok(again.lastResponse.requestId !== first.lastResponse.requestId,
    'with an id of its own');
same(again, first, 'the same payment');
is(await a.charged(), 1, 'charged once');

const error = { type: 'StripeIdempotencyError', statusCode: 400,
    rawType: 'idempotency_error', code: undefined };
const other = await fails(a.pays(stripe, { amount: 2501 }), error,
    'another amount with the key');

ok(other.message.includes(`'${a.key}'`), 'the message names the key',
    other.message);
await fails(a.pays(stripe, { metadata: { account: 'AC1' } }), error,
    'other metadata');
await fails(stripe.customers.create({}, { idempotencyKey: a.key }), error,
    'another call');
is(await a.charged(), 1, 'charged once');
same((await stripe.paymentIntents.create({ metadata: { period: `p${a.key}`,
    account: 'AC1' }, payment_method: 'pm_card_visa', off_session: true,
error_on_requires_action: true, confirm: true, currency: 'usd', amount: 2500 },
{ idempotencyKey: a.key })).id, first.id, 'the order of parameters is free');

const get = await stripe.paymentIntents.retrieve(first.id, {},
    { idempotencyKey: a.key });

is(get.lastResponse.headers['idempotent-replayed'], undefined,
    'a GET has no key');
await fails(a.pays(stripe, {}, 'k'.repeat(256)), { statusCode: 400 },
    'a key of 256 characters');

const customer = await stripe.customers.create({ name: 'n' },
    { idempotencyKey: 'customer' });

is((await stripe.customers.create({ name: 'n' },
    { idempotencyKey: 'customer' })).id, customer.id,
'a customer is made once');

await fails(stripe.checkout.sessions.create({ name: 'n' },
    { idempotencyKey: 'customer' }), error, 'the same form for another call');

// another key is another charge: the count can fail

await a.pays(stripe, {}, 'another');
is(await a.charged(), 2, 'with another key: charged twice');
same((await state()).doubled, [`AC1 p${a.key}`], 'which the count shows');

// answers that are stored: 402, 500

const method = await stripe.paymentMethods.attach('pm_card_visa',
    { customer: customer.id });
const owned = { customer: customer.id, payment_method: method.id };
const b = next();

await card(method.id, { behaves: 'pm_card_visa_chargeDeclined' });

const no = await fails(b.pays(stripe, owned), { type: 'StripeCardError',
    code: 'card_declined' }, 'declined');

await card(method.id, { behaves: 'pm_card_visa' });

const still = await fails(b.pays(stripe, owned), { type: 'StripeCardError',
    code: 'card_declined' }, 'a good card, with the key of a decline');

is(still.headers['idempotent-replayed'], 'true', 'is a replay');
same(still.payment_intent, no.payment_intent, 'of the same payment');
is(await b.charged(), 0, 'not charged');
is((await b.pays(stripe, owned, 'PY2-2')).status, 'succeeded',
    'another key pays');
is(await b.charged(), 1, 'charged once');

const c = next();

await fault('error_after');

const e500 = await fails(c.pays(), { type: 'StripeAPIError', statusCode: 500 },
    '500 after the charge');

is(e500.headers['stripe-should-retry'], 'false', 'no retry');
is(await c.charged(), 1, 'charged');
is((await fails(c.pays(patient), { statusCode: 500 }, '500 again'))
    .headers['idempotent-replayed'], 'true', 'as a replay');
is((await c.requests()).length, 2, 'the client does not repeat it');
is(await c.charged(), 1, 'charged once');
same((await stripe.paymentIntents.list({ limit: 100 })).data.filter(
    ({ metadata }) => metadata.period === `p${c.key}`)
    .map(({ status }) => status), ['succeeded'], 'a list finds the payment');

const d = next();

await fault('error_before');
await fails(d.pays(), { statusCode: 500 }, '500 before the charge');
await fails(d.pays(), { statusCode: 500 }, 'and again');
is(await d.charged(), 0, 'not charged');

// answers that are not

const e = next();

await fails(e.pays(stripe, { amount: 1 }), { code: 'amount_too_small' },
    'parameters that are wrong');
is((await e.pays()).status, 'succeeded', 'the key is free for good ones');

for (const kind of ['rate_limit', 'unavailable', 'refuse']) {
    const f = next();

    await fault(kind, { times: kind === 'refuse' ? 2 : 1 });
    ok((await f.pays().catch((err) => err)) instanceof Error, `${kind}: no`);
    is(await f.charged(), 0, `${kind}: not charged`);
    same([(await f.pays()).status, await f.charged()], ['succeeded', 1],
        `${kind}: the same key pays`);
}

// a key in use

const g = next();

await fault('delay', { seconds: 2 });

const slow = g.pays();

while ((await g.requests()).length === 0) {
    await new Promise((wake) => setTimeout(wake, 20));
}

await fails(g.pays(), { statusCode: 409, code: 'idempotency_key_in_use' },
    'a second request beside the first');
is((await g.pays(patient)).id, (await slow).id,
    'a client that tries again gets the payment of the first');
is(await g.charged(), 1, 'charged once');
ok((await g.requests()).filter(({ status }) => status === 409).length >= 2,
    'after a 409');

// answers that are lost: the client repeats the request by itself

for (const kind of ['cut', 'unavailable', 'refuse']) {
    const h = next();

    await fault(kind, { times: 2 });

    const paid = await h.pays(patient);
    const seen = await h.requests();

    is(paid.status, 'succeeded', `${kind}: paid in the end`);
    same(seen.map(({ status, replayed, fault: f }) => [status, replayed, f]), {
        cut: [[200, 0, 'cut'], [200, 1, 'cut'], [200, 1, null]],
        unavailable: [[503, 0, null], [503, 0, null], [200, 0, null]],
        refuse: [[0, 0, 'refuse'], [0, 0, 'refuse'], [200, 0, null]]
    }[kind], `${kind}: by three requests`);
    is((await h.pays()).lastResponse.headers['idempotent-replayed'], 'true',
        `${kind}: then a replay`);
    is(await h.charged(), 1, `${kind}: charged once`);
}

// an answer that has begun is not repeated

const half = next();

await fault('half');
await fails(half.pays(patient), { type: 'StripeConnectionError' }, 'half');
is((await half.requests()).length, 1, 'half: by one request');
is((await half.pays()).lastResponse.headers['idempotent-replayed'], 'true',
    'half: then a replay');
is(await half.charged(), 1, 'half: charged once');

// even without retries, the client repeats a request whose connection closed

const closed = next();

await fault('cut');
is((await closed.pays()).status, 'succeeded', 'closed: paid');
same([(await closed.requests()).length, await closed.charged()], [2, 1],
    'closed: two requests, charged once');

// without a key of the program the client makes one, for its retries only
const { requests } = await state();

await fault('cut', { times: 2 });
await patient.paymentIntents.create(payment('AC1', 'unkeyed'));
is((await state()).by_period['AC1 unkeyed'], 1, "the client's key: once");
same((await state()).log.slice(requests - (await state()).requests)
    .map(({ key }) => /^stripe-node-retry-/.test(key)), [true, true, true],
'in three requests');

// answers that are wrong

const i = next();

await fault('change', { set: { amount: 9999, id: first.id } });

const wrong = await i.pays();

same([wrong.amount, wrong.id], [9999, first.id],
    'another amount, and the id of another payment');
is((await state()).charges.at(-1).amount, 2500, 'the charge is as ordered');

const right = await i.pays();

ok(right.amount === 2500 && right.id !== first.id, 'the replay is right');
is(await i.charged(), 1, 'charged once');

// payments that succeed late, or do not

const j = next();

await fault('late', { seconds: 600 });

const late = await j.pays();

same([late.status, late.amount_received, await j.charged()],
    ['processing', 0, 0], 'processing');
await clock(500);
is((await stripe.paymentIntents.retrieve(late.id)).status, 'processing',
    'still');
await clock(101);
is((await stripe.paymentIntents.retrieve(late.id)).status, 'succeeded',
    'succeeded');
is(await j.charged(), 1, 'charged once');
is((await j.pays()).status, 'processing', 'its replay is what was answered');
is((await state()).by_key[j.key], 1, 'by the key of its request');

const k = next();

await fault('late', { seconds: 60,
    behaves: 'pm_card_chargeDeclinedInsufficientFunds' });

const lost = await k.pays();

await clock(61);

const gone = await stripe.paymentIntents.retrieve(lost.id);

same([lost.status, gone.status, gone.last_payment_error.decline_code,
    await k.charged()], ['processing', 'requires_payment_method',
    'insufficient_funds', 0], 'declined late');

// faults by order: the second of three

await fault('rate_limit', { after: 1, match: '^GET /v1/customers/' });

const statuses = [];

for (let at = 0; at < 3; at++) {
    statuses.push((await stripe.customers.retrieve(customer.id)
        .catch((err) => err)).statusCode ?? 200);
}

same(statuses, [200, 429, 200], 'a fault after a request');
same((await state()).orders, [], 'no order is left');

// keys are forgotten after 24 hours

const m = next();
const old = await m.pays();

await clock(86399);
is((await m.pays()).id, old.id, 'after 24 hours less a second: a replay');
await clock(1);

const fresh = await m.pays();

ok(fresh.id !== old.id, 'after 24 hours: another payment', fresh.id);
is(fresh.lastResponse.headers['idempotent-replayed'], undefined, 'no replay');
is((await state()).by_key[m.key], 2, 'the count by key shows it');
ok((await state()).doubled.includes(`AC1 p${m.key}`), 'and that by period');
done();
