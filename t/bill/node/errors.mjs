// Every class of error of the client, with its fields.

import { card, client, complete, done, fails, fault, input, is, ok,
    payment, same, state } from './client.mjs';

const stripe = client();
const customer = await stripe.customers.create();
const pays = (more, options) => stripe.paymentIntents.create(payment('AC1',
    'p1', more), options);

// cards: docs.stripe.com/testing#declined-payments

const cards = [
    ['visa_chargeDeclined', 'card_declined', 'generic_decline',
        'try_again_later', 'Your card was declined.'],
    ['chargeDeclined', 'card_declined', 'generic_decline', 'try_again_later',
        'Your card was declined.'],
    ['visa_chargeDeclinedInsufficientFunds', 'card_declined',
        'insufficient_funds', 'try_again_later',
        'Your card has insufficient funds.'],
    ['visa_chargeDeclinedLostCard', 'card_declined', 'lost_card',
        'do_not_try_again', 'Your card was declined.'],
    ['visa_chargeDeclinedStolenCard', 'card_declined', 'stolen_card',
        'do_not_try_again', 'Your card was declined.'],
    ['chargeDeclinedExpiredCard', 'expired_card', 'expired_card',
        'confirm_card_data', 'Your card has expired.', 'exp_month'],
    ['chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc',
        'confirm_card_data', "Your card's security code is incorrect.", 'cvc'],
    ['chargeDeclinedProcessingError', 'processing_error', 'processing_error',
        'try_again_later', 'An error occurred while processing your card. Try '
        + 'again in a little bit.'],
    ['visa_chargeDeclinedVelocityLimitExceeded', 'card_declined',
        'card_velocity_exceeded', undefined, 'Your card was declined for '
        + 'making repeated attempts too frequently or exceeding its amount '
        + 'limit.'],
    ['chargeDeclinedFraudulent', 'card_declined', 'fraudulent', undefined,
        'Your card was declined.'],
    ['chargeCustomerFail', 'card_declined', 'generic_decline',
        'try_again_later', 'Your card was declined.']
];

for (const [name, code, decline, advice, message, param] of cards) {
    const error = await fails(pays({ payment_method: `pm_card_${name}` }), {
        type: 'StripeCardError', statusCode: 402, code, param, message,
        decline_code: decline, rawType: 'card_error',
        doc_url: 'https://stripe.com/docs/error-codes/'
            + code.replaceAll('_', '-') }, name, { advice_code: advice });
    const found = await stripe.paymentIntents.retrieve(error.payment_intent.id);

    same(error.payment_intent, found, `${name}: its payment is in the error`);
    same([found.status, found.amount_received, found.payment_method,
        found.last_payment_error.code, found.last_payment_error.decline_code,
        found.last_payment_error.advice_code, found.latest_charge], [
        'requires_payment_method', 0, null, code, decline, advice,
        error.charge], `${name}: it waits for another method`);
    is((await stripe.charges.retrieve(error.charge)).status, 'failed',
        `${name}: its charge failed`);

    if (name !== 'chargeCustomerFail') {
        await fails(stripe.paymentMethods.attach(`pm_card_${name}`,
            { customer: customer.id }), { type: 'StripeCardError',
            statusCode: 402, code, decline_code: decline },
        `${name} is not attached`);
    }
}

const fail = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail',
    { customer: customer.id });

is(fail.customer, customer.id, 'one is attached, and');
await fails(pays({ customer: customer.id, payment_method: fail.id }),
    { type: 'StripeCardError', decline_code: 'generic_decline' },
    'declined when it pays');
same((await stripe.events.list({ limit: 3 })).data.map(({ type }) => type),
    ['payment_intent.payment_failed', 'charge.failed',
        'payment_intent.created'], 'events of a declined payment');

// a card that had funds, has none, and has them again

const good = await stripe.paymentMethods.attach('pm_card_visa',
    { customer: customer.id });
const same_card = { customer: customer.id, payment_method: good.id };

is((await pays(same_card)).status, 'succeeded', 'a card with funds');
await card(good.id, { behaves: 'pm_card_chargeDeclinedInsufficientFunds' });
await fails(pays(same_card), { decline_code: 'insufficient_funds' },
    'without funds');
await card(good.id, { behaves: 'pm_card_visa' });
is((await pays(same_card)).status, 'succeeded', 'with funds again');

// authentication: docs.stripe.com/testing#authentication-and-setup

const name = 'pm_card_authenticationRequired';

await fails(pays({ payment_method: name }), { type: 'StripeCardError',
    statusCode: 402, code: 'authentication_required',
    decline_code: 'authentication_required' }, 'authentication, off session');
await fails(pays({ payment_method: name, off_session: false }),
    { type: 'StripeCardError', statusCode: 402,
        code: 'authentication_required',
        decline_code: 'authentication_not_handled' },
    'authentication, with an error on the action');

const action = await pays({ payment_method: name, off_session: false,
    error_on_requires_action: false });

same([action.status, action.amount_received, typeof action.next_action.type],
    ['requires_action', 0, 'string'], 'authentication on session');

const setUp = async (test, behaves) => {
    const session = await stripe.checkout.sessions.create({ mode: 'setup',
        currency: 'usd', customer: customer.id,
        success_url: 'http://localhost/' });
    const { setup_intent: intent } = await complete(session.id, test,
        { behaves });

    return { customer: customer.id, payment_method: intent.payment_method };
};

await fails(pays({ payment_method: `${name}OnSetup` }),
    { code: 'authentication_required' }, 'a card that was not set up');
is((await pays(await setUp(`${name}OnSetup`))).status, 'succeeded',
    'and that was set up');
is((await pays({ payment_method: `${name}SetupForOffSession` })).status,
    'succeeded', 'a card that is already set up');
await fails(pays(await setUp(`${name}ChargeDeclinedInsufficientFunds`)),
    { code: 'card_declined', decline_code: 'insufficient_funds' },
    'authenticated, and without funds');
await fails(pays(await setUp(name)), { code: 'authentication_required' },
    'a card that authenticates always');
await fails(pays(await setUp('pm_card_visa', 'pm_card_visa_chargeDeclined')),
    { decline_code: 'generic_decline' }, 'a card that turned bad after setup');

// requests

const bad = async (params, want, title) => fails(
    stripe.paymentIntents.create(params), { type: 'StripeInvalidRequestError',
        statusCode: 400, rawType: 'invalid_request_error', ...want }, title);
const visa = { amount: 100, currency: 'usd', payment_method: 'pm_card_visa' };

await bad({ currency: 'usd' }, { code: 'parameter_missing', param: 'amount' },
    'no amount');
await bad({ amount: 100 }, { code: 'parameter_missing', param: 'currency' },
    'no currency');
await bad({ ...visa, amount: '' },
    { code: 'parameter_invalid_empty', param: 'amount' }, 'an empty amount');

for (const amount of ['12.50', '-1', '1e3', '+5', '0x20', '9'.repeat(30)]) {
    await bad({ ...visa, amount }, { code: 'parameter_invalid_integer',
        param: 'amount' }, `amount ${amount}`);
}

await bad({ ...visa, amount: 49 }, { code: 'amount_too_small',
    param: 'amount' }, '49 cents');
await bad({ ...visa, amount: 100000000 }, { code: 'amount_too_large',
    param: 'amount' }, 'a million dollars');
await bad({ ...visa, currency: 'xyz' }, { param: 'currency' },
    'another currency');
await bad({ ...visa, amuont: 1 }, { code: 'parameter_unknown',
    param: 'amuont' }, 'a parameter that does not exist');
await bad({ ...visa, off_session: true }, { param: 'off_session' },
    'off_session without confirm');
await bad({ ...visa, error_on_requires_action: true },
    { param: 'error_on_requires_action' }, 'an error without confirm');
await bad({ ...visa, confirm: 'yes' }, { param: 'confirm' }, 'not a boolean');
await bad({ ...visa, customer: 'cus_none' }, { code: 'resource_missing',
    param: 'customer', message: "No such customer: 'cus_none'" },
'a customer that does not exist');
await bad({ ...visa, payment_method: 'pm_none' }, { code: 'resource_missing',
    param: 'payment_method', message: "No such PaymentMethod: 'pm_none'" },
'a method that does not exist');
await bad({ ...visa, payment_method: good.id }, { param: 'payment_method' },
    'the method of a customer without the customer');
await bad({ ...visa, payment_method: good.id, confirm: true,
    customer: (await stripe.customers.create()).id },
{ param: 'payment_method' }, 'the method of another customer');
await bad({ ...visa, metadata: { ['k'.repeat(41)]: 'v' } },
    { param: `metadata[${'k'.repeat(41)}]` }, 'a long key of metadata');
await bad({ ...visa, metadata: { k: 'v'.repeat(501) } },
    { param: 'metadata[k]' }, 'a long value of metadata');
await bad({ amount: 100, currency: 'usd', confirm: true },
    { code: 'payment_intent_unexpected_state' }, 'nothing to pay with');

const session = { mode: 'setup', currency: 'usd',
    success_url: 'http://localhost/' };

for (const [missing, param] of [['mode', 'mode'], ['success_url',
    'success_url'], ['currency', 'currency']]) {
    await fails(stripe.checkout.sessions.create({ ...session,
        [missing]: undefined }), { statusCode: 400, param,
        code: 'parameter_missing' }, `a session without ${missing}`);
}

const missing = { type: 'StripeInvalidRequestError', statusCode: 404,
    code: 'resource_missing' };

for (const [call, id, param, object] of [
    [stripe.customers, 'cus_none', 'id', 'customer'],
    [stripe.paymentIntents, 'pi_none', 'intent', 'payment_intent'],
    [stripe.setupIntents, 'seti_none', 'intent', 'setupintent'],
    [stripe.paymentMethods, 'pm_none', 'payment_method', 'PaymentMethod'],
    [stripe.checkout.sessions, 'cs_none', 'session', 'checkout.session'],
    [stripe.refunds, 're_none', 'id', 'refund'],
    [stripe.events, 'evt_none', 'id', 'event'],
    [stripe.paymentIntents, customer.id, 'intent', 'payment_intent']]) {
    await fails(call.retrieve(id), { ...missing, param,
        message: `No such ${object}: '${id}'` }, `no such ${object}`);
}

await fails(stripe.rawRequest('GET', '/v1/nothing'),
    { type: 'StripeInvalidRequestError', statusCode: 404 }, 'an unknown path');

// keys of the API

for (const key of ['sk_test_other', `${input.key}x`, 'sk_live_standin']) {
    const error = await fails(client({}, key).customers.list({ limit: 1 }),
        { statusCode: 401, type: 'StripeAuthenticationError' }, `key ${key}`);

    ok(!error.message.includes(key), 'the message does not show the key',
        error.message);
}

// faults

await fault('rate_limit');
await fails(pays(), { type: 'StripeRateLimitError', statusCode: 429 },
    'status 429');
await fault('unavailable');
await fails(pays(), { type: 'StripeAPIError', statusCode: 503 },
    'status 503');
await fault('error_before');
await fails(pays(), { type: 'StripeAPIError', statusCode: 500 },
    'status 500');
await fault('page');
await fails(pays(), { type: 'StripeAPIError',
    message: 'Invalid JSON received from the Stripe API' }, 'HTML with 200');
await fault('page', { status: 502, body: '<h1>Bad Gateway</h1>' });
await fails(pays(), { type: 'StripeAPIError' }, 'HTML with 502');
await fault('half');
await fails(pays(), { type: 'StripeConnectionError' }, 'half of an answer');
await fault('refuse', { times: 9 });
await fails(pays(), { type: 'StripeConnectionError' }, 'no answer');

const { charges } = await state();

// 4 cards that paid, two pages, half an answer
is(charges.filter(({ account }) => account === 'AC1').length, 7,
    'charges: the payments that succeeded, and those whose answer was spoilt');
done();
