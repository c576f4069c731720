// By keyboard alone: a user adds a passkey, signs out, signs in with it, and
// confirms a change with it; a passkey that is deleted signs in no longer.

import { close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open({ expected: /status of 40[13]/ });
const cdp = await page.context().newCDPSession(page);

await cdp.send('WebAuthn.enable');

const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true,
        hasUserVerification: true, isUserVerified: true,
        automaticPresenceSimulation: true } });

async function press(text) {
    await tabTo(page, text);
    await page.keyboard.press('Enter');
}

async function type(label, text) {
    await tabTo(page, label);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
}

const row = (text) => page.waitForSelector(`tbody tr >> text=${text}`);

await signIn(page, input.link);
await press('Signed in as');
await press('Passkeys and sessions');
await page.waitForSelector('h1 >> text=Your passkeys');
await page.waitForSelector('text=You have no passkey yet.');
ok(true, 'none, and what one is for');
await type('Name', 'Laptop <b>');
await press('Add a passkey');
await row('Laptop <b>');
await page.waitForSelector('[role=status] >> text=sign in with it');
ok(true, 'a passkey is added');
const { credentials } = await cdp.send('WebAuthn.getCredentials',
    { authenticatorId });
is(credentials.length, 1, 'the authenticator has it');
ok(credentials[0].isResidentCredential, 'and finds it by itself');

await type('Name', 'Twice');
await press('Add a passkey');
await page.waitForSelector('main .banner');
ok(/has a passkey of yours/.test(await page.textContent('main .banner')),
    'one of each device');
is(await page.inputValue('#name'), 'Twice', 'what was typed stays');

await press('Rename');
await tabTo(page, 'Name');
await page.keyboard.press('Control+A');
await page.keyboard.type('My laptop');
await page.keyboard.press('Enter');
await row('My laptop');
ok(true, 'it is renamed');

await press('Signed in as');
await press('Sign out');
await page.waitForSelector('.sign-in');
await cdp.send('WebAuthn.setUserVerified', { authenticatorId,
    isUserVerified: false });
await press('Sign in with a passkey');
await page.waitForSelector('.sign-in .banner');
ok(/No passkey was used/.test(await page.textContent('.sign-in .banner')),
    'a user who is not recognized is not signed in');
await cdp.send('WebAuthn.setUserVerified', { authenticatorId,
    isUserVerified: true });
await press('Sign in with a passkey');
await page.waitForSelector('header nav');
ok((await page.textContent('.who')).includes(input.mail),
    'the passkey signs its user in');

// A session whose sign-in was long ago.

await page.context().addCookies([{ url: input.url, ...input.late }]);
await page.goto('/portal/#/users');
await page.reload();
await page.waitForSelector('#mail');
await type('E-mail address', 'new@example.test');
await page.keyboard.press('Enter');
await page.waitForSelector('main .banner');
await press('Confirm with a passkey');
await page.waitForSelector('tr >> text=new@example.test');
ok(true, 'a change is made after the passkey has confirmed it');

await page.goto('/portal/#/passkeys');
await row('My laptop');
await press('Delete');
await press('Delete it');
await page.waitForSelector('text=You have no passkey yet.');
ok(true, 'it is deleted');
await page.goto('/portal/#/');
await press('Signed in as');
await press('Sign out');
await page.waitForSelector('.sign-in');
await press('Sign in with a passkey');
await page.waitForSelector('.sign-in .banner');
ok(/does not sign in here/.test(await page.textContent('.sign-in .banner')),
    'and signs in no longer');
await close(page, 'passkeys by keyboard');
await done();
