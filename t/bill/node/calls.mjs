// Every call of the stand-in, with the values that it answers.

import { card, client, clock, complete, done, fails, is, ok, payment, same,
    state } from './client.mjs';

const stripe = client();
const start = (await state()).now;
const odd = { 'key / é & = ? +': 'a=b&c+d %20 "ü" \u{1f4b3}', empty: '' };

// customers

const customer = await stripe.customers.create({ name: 'Ünïcode & [x]=y+z %',
    email: 'a+b@example.net', description: 'line\nline', metadata: odd });

is(customer.name, 'Ünïcode & [x]=y+z %', 'a name as it was sent');
is(customer.email, 'a+b@example.net', 'an address with a plus');
is(customer.description, 'line\nline', 'a line feed');
same(customer.metadata, odd, 'odd keys and values of metadata');
is(customer.livemode, false, 'test mode');
ok(/^cus_\w{10,}$/.test(customer.id), 'id of a customer', customer.id);
same(await stripe.customers.retrieve(customer.id), customer,
    'a customer again');
is(customer.lastResponse.statusCode, 200, 'status');
ok(/^req_/.test(customer.lastResponse.requestId), 'id of the request');
is(customer.lastResponse.headers['stripe-version'],
    stripe.getApiField('version'), 'the version of the client');

// Checkout

const session = await stripe.checkout.sessions.create({ mode: 'setup',
    currency: 'usd', customer: customer.id, payment_method_types: ['card'],
    success_url: 'http://localhost/done?s={CHECKOUT_SESSION_ID}&x=%26',
    cancel_url: 'http://localhost/cancel?a=1&b=2', client_reference_id: 'AC1',
    metadata: { account: 'AC1' },
    setup_intent_data: { metadata: { source: 'PS1' } } });

ok(/^cs_test_\w{50,}$/.test(session.id), 'id of a session', session.id);
ok(session.url.includes(`/c/pay/${session.id}#`) && session.url.length > 300,
    'its page', session.url);
is(session.status, 'open', 'it is open');
is(session.payment_status, 'no_payment_required', 'nothing to pay');
is(session.mode, 'setup', 'mode');
is(session.expires_at, session.created + 86400, 'it expires after a day');
same(session.metadata, { account: 'AC1' }, 'its metadata');
same(session.payment_method_types, ['card'], 'its types');
ok(/^seti_/.test(session.setup_intent), 'a SetupIntent', session.setup_intent);

const waiting = await stripe.checkout.sessions.retrieve(session.id,
    { expand: ['setup_intent', 'customer'] });

is(waiting.customer.email, 'a+b@example.net', 'expanded: customer');
is(waiting.setup_intent.status, 'requires_payment_method', 'expanded: intent');
same(waiting.setup_intent.metadata, { source: 'PS1' },
    'metadata of the intent');

const declined = await complete(session.id, 'pm_card_visa_chargeDeclined');

is(declined.session.status, 'open', 'a declined card leaves it open');
is(declined.setup_intent.last_setup_error.decline_code, 'generic_decline',
    'and its reason is in the intent');

// the page, as a browser uses it
const url = session.url.replace(/#.*/, '');
const page = await fetch(url);

is(page.status, 200, 'the page');
is(page.headers.get('content-type'), 'text/html', 'its type');
ok((await page.text()).includes('href="http://localhost/cancel?a=1&#38;b=2"'),
    'and its way back');

const paid = await fetch(`${url}?card=pm_card_visa`, { redirect: 'manual' });

is(paid.status, 303, 'a card is entered');
is(paid.headers.get('location'),
    `http://localhost/done?s=${session.id}&x=%26`, 'and the browser returns');
is((await fetch(url)).status, 404, 'the page is gone');

const ended = await stripe.checkout.sessions.retrieve(session.id,
    { expand: ['setup_intent.payment_method'] });
const method = ended.setup_intent.payment_method;

is(ended.status, 'complete', 'complete');
is(ended.url, null, 'without its page');
is(ended.setup_intent.status, 'succeeded', 'the intent succeeded');
is(method.customer, customer.id, 'the customer owns the card');
same([method.type, method.card.brand, method.card.last4, method.card.exp_month,
    method.card.exp_year], ['card', 'visa', '4242', 12,
    new Date(start * 1000).getUTCFullYear() + 2], 'the card');

const intent = await stripe.setupIntents.retrieve(session.setup_intent);

is(intent.payment_method, method.id, 'a SetupIntent');
is(intent.usage, 'off_session', 'its usage');
same(await stripe.paymentMethods.retrieve(method.id), method,
    'a payment method');

const late = await stripe.checkout.sessions.create({ mode: 'setup',
    payment_method_types: ['card'], success_url: 'http://localhost/',
    customer_creation: 'always' });

is(late.customer, null, 'a session without a customer');
is((await complete(late.id, 'pm_card_amex')).session.customer.slice(0, 4),
    'cus_', 'the customer is made at its end');

// payment methods

const other = await stripe.customers.create();
const master = await stripe.paymentMethods.attach('pm_card_mastercard',
    { customer: other.id });

ok(/^pm_3T/.test(master.id), 'a test card gets an id of its own', master.id);
same([master.customer, master.card.brand, master.card.last4],
    [other.id, 'mastercard', '4444'], 'attached');
await fails(stripe.paymentMethods.attach(master.id, { customer: customer.id }),
    { type: 'StripeInvalidRequestError', statusCode: 400 }, 'attached twice');
same((await stripe.paymentMethods.list({ customer: other.id, type: 'card' }))
    .data.map(({ id }) => id), [master.id], 'methods of a customer');

const renewed = await card(master.id, { card: { exp_year: 2040 } });

is(renewed.card.exp_year, 2040, 'the network renews a card');
is((await stripe.paymentMethods.retrieve(master.id)).card.exp_year, 2040,
    'the client sees it');
is((await stripe.paymentMethods.detach(master.id)).customer, null, 'detached');
await fails(stripe.paymentMethods.detach(master.id),
    { statusCode: 400 }, 'detached twice');
await fails(stripe.paymentMethods.attach(master.id, { customer: other.id }),
    { statusCode: 400 }, 'a detached method is not attached again');
await fails(stripe.paymentIntents.create(payment('AC0', '1',
    { payment_method: master.id, customer: other.id })),
{ statusCode: 400, param: 'payment_method' }, 'and does not pay');

// payments

const pi = await stripe.paymentIntents.create(payment('AC1', '2026-12', {
    customer: customer.id, payment_method: method.id, amount: 2001,
    description: 'Business, 1 month', metadata: { account: 'AC1',
        period: '2026-12', payment: 'PY1' } }), { idempotencyKey: 'PY1-1' });

same([pi.object, pi.status, pi.amount, pi.amount_received, pi.currency,
    pi.customer, pi.payment_method, pi.livemode, pi.description], [
    'payment_intent', 'succeeded', 2001, 2001, 'usd', customer.id, method.id,
    false, 'Business, 1 month'], 'a payment');
same(pi.metadata, { account: 'AC1', period: '2026-12', payment: 'PY1' },
    'its metadata');
is(pi.lastResponse.headers['idempotency-key'], 'PY1-1', 'its key');
same(await stripe.paymentIntents.retrieve(pi.id), pi, 'the payment again');

const full = await stripe.paymentIntents.retrieve(pi.id,
    { expand: ['latest_charge', 'payment_method', 'customer'] });

same([full.latest_charge.amount, full.latest_charge.paid,
    full.latest_charge.payment_method_details.card.last4,
    full.payment_method.id, full.customer.id], [2001, true, '4242', method.id,
    customer.id], 'expanded: charge, method, customer');
same(await stripe.charges.retrieve(full.latest_charge.id), full.latest_charge,
    'the charge');
await fails(stripe.paymentIntents.retrieve(pi.id, { expand: ['amount'] }),
    { statusCode: 400 }, 'a number is not expanded');
await fails(stripe.paymentIntents.retrieve(pi.id, { expand: ['nothing'] }),
    { statusCode: 400 }, 'nor what is not there');

const open = await stripe.paymentIntents.create({ amount: 50,
    currency: 'USD' });

same([open.status, open.amount_received, open.payment_method, open.currency],
    ['requires_payment_method', 0, null, 'usd'], 'one without confirm');

// lists: 25 payments of a customer

const ids = [];

for (let i = 0; i < 25; i++) {
    const made = await stripe.paymentIntents.create(payment('AC2', `m${i}`,
        { customer: other.id, amount: 1000 + i }));

    ids.unshift(made.id);
}

const first = await stripe.paymentIntents.list({ customer: other.id });

same([first.object, first.url, first.has_more, first.data.length],
    ['list', '/v1/payment_intents', true, 10], 'ten on a page');
same(first.data.map(({ id }) => id), ids.slice(0, 10), 'newest first');

const back = await stripe.paymentIntents.list({ customer: other.id, limit: 3,
    ending_before: ids[9] });

same([back.data.map(({ id }) => id), back.has_more], [ids.slice(6, 9), true],
    'backwards');

const all = [];

for await (const o of stripe.paymentIntents.list({ customer: other.id,
    limit: 7 })) {
    all.push(o.id);
}

same(all, ids, 'all pages');
same((await stripe.paymentIntents.list({ customer: customer.id })).data
    .map(({ id }) => id), [pi.id], 'of another customer');
is((await stripe.paymentIntents.list({ customer: other.id, limit: 1,
    expand: ['data.latest_charge'] })).data[0].latest_charge.amount, 1024,
'expanded in a list');

const tomorrow = (await clock(86400)).now;

await stripe.paymentIntents.create(payment('AC2', 'next',
    { customer: other.id }));

for (const [range, n] of [[{ gte: tomorrow }, 1], [{ lt: tomorrow }, 25],
    [{ gt: start - 1, lte: tomorrow - 1000 }, 25],
    [{ gt: tomorrow + 60 }, 0]]) {
    is((await stripe.paymentIntents.list({ customer: other.id, limit: 100,
        created: range })).data.length, n, `created: ${JSON.stringify(range)}`);
}

await fails(stripe.paymentIntents.list({ limit: 101 }),
    { statusCode: 400, param: 'limit' }, 'over 100 on a page');
await fails(stripe.paymentIntents.list({ starting_after: 'pi_none' }),
    { statusCode: 400, param: 'starting_after', code: 'resource_missing' },
    'a cursor that does not exist');

// search

const query = "metadata['account']:'AC2' AND metadata['period']:'next'";
const found = async (text) => (await stripe.paymentIntents.search(
    { query: text, limit: 100 })).data;

is((await found(query)).length, 0, 'search does not find a new payment');
await clock(61);
same((await found(query)).map(({ metadata }) => metadata),
    [{ account: 'AC2', period: 'next' }], 'and finds it after a minute');
is((await found('amount>1009 AND amount<=1012')).length, 3, 'amounts');
is((await found('amount:1001 OR amount:1002')).length, 2, 'OR');
is((await found(`customer:'${other.id}' AND -metadata["period"]:"next"`))
    .length, 25, 'a customer, and not a period');
is((await found(`status:'succeeded' AND currency:'usd'`)).length, 27, 'status');

const some = await stripe.paymentIntents.search({ query: 'amount>0' });

same([some.object, some.url, some.has_more, some.data.length],
    ['search_result', '/v1/payment_intents/search', true, 10],
    'ten on a page of a search');

const searched = [];

for await (const o of stripe.paymentIntents.search({ limit: 10,
    query: `customer:'${other.id}' AND amount<2000` })) {
    searched.push(o.id);
}

same(searched, ids, 'all pages of a search');

for (const bad of ["description:'x'", 'amount', "status>'a'",
    "status:'a' AND amount:1 OR amount:2"]) {
    await fails(stripe.paymentIntents.search({ query: bad }),
        { statusCode: 400, param: 'query' }, `query ${bad}`);
}

// refunds

const part = await stripe.refunds.create({ payment_intent: pi.id, amount: 501,
    reason: 'requested_by_customer', metadata: { payment: 'PY1' } });

same([part.object, part.amount, part.status, part.payment_intent, part.charge,
    part.reason, part.metadata, part.currency], ['refund', 501, 'succeeded',
    pi.id, pi.latest_charge, 'requested_by_customer', { payment: 'PY1' },
    'usd'], 'a refund');
await fails(stripe.refunds.create({ payment_intent: pi.id, amount: 1501 }),
    { type: 'StripeInvalidRequestError', statusCode: 400, param: 'amount',
        code: undefined }, 'more than is left');
is((await stripe.refunds.create({ charge: pi.latest_charge })).amount, 1500,
    'the rest, by its charge');

const charge = await stripe.charges.retrieve(pi.latest_charge);

same([charge.amount_refunded, charge.refunded], [2001, true], 'the charge');
await fails(stripe.refunds.create({ payment_intent: pi.id }),
    { statusCode: 400, code: 'charge_already_refunded' }, 'nothing is left');
await fails(stripe.refunds.create({ payment_intent: open.id }),
    { statusCode: 400 }, 'a payment that did not succeed');
is((await stripe.refunds.list({ payment_intent: pi.id })).data.length, 2,
    'refunds of a payment');
is((await stripe.refunds.retrieve(part.id)).amount, 501, 'one of them');

// events

const types = async (params) => (await stripe.events.list({ limit: 100,
    ...params })).data.map(({ type }) => type);

same(await types({ created: { gte: tomorrow } }), ['charge.refunded',
    'refund.created', 'charge.refunded', 'refund.created',
    'payment_intent.succeeded', 'charge.succeeded', 'payment_intent.created'],
'events since a time, newest first');
same(await types({ types: ['refund.created', 'checkout.session.completed'] }),
    ['refund.created', 'refund.created', 'checkout.session.completed',
        'checkout.session.completed'], 'of two types');
is((await types({ type: 'charge.*' })).length, 29, 'of a group of types');
same(await types({ type: 'payment_method.automatically_updated' }),
    ['payment_method.automatically_updated'], 'of one type');

const event = (await stripe.events.list({ type: 'charge.refunded' })).data[1];

same([event.data.object.id, event.data.object.amount_refunded,
    event.data.object.refunded], [pi.latest_charge, 501, false],
'an event shows its object as it was');
same(await stripe.events.retrieve(event.id), event, 'one event');
is((await stripe.events.list({ type: 'payment_intent.created', limit: 100 }))
    .data.at(-1).request.idempotency_key, 'PY1-1', 'the key of its request');
await clock(30 * 86400);
is((await types({})).length, 0, 'events are there for 30 days');

// a session that nobody uses

const left = await stripe.checkout.sessions.create({ mode: 'setup',
    currency: 'usd', success_url: 'http://localhost/' });

await clock(86399);
is((await stripe.checkout.sessions.retrieve(left.id)).status, 'open',
    'open to the last second');
await clock(1);
same(await stripe.checkout.sessions.retrieve(left.id)
    .then(({ status, url: at }) => [status, at]), ['expired', null],
'and expired after it');

const seen = await state();

is(seen.charges.length, 27, 'charges in all');
same(seen.by_key['PY1-1'], 1, 'by key');
same(seen.by_period['AC1 2026-12'], 1, 'by account and period');
same(seen.doubled, [], 'none is doubled');
same(seen.refunds.map(({ amount }) => amount), [501, 1500], 'refunds');
done();
