// Passkeys: what the authenticator of the browser is asked, and its answers as
// the calls take them.

import { forget, get, post, Refusal } from './api.js';
import { t } from './text.js';

const algorithms = [-7, -257, -8];
const timeout = 300000;

export const mayPasskey = () => 'PublicKeyCredential' in window;

function decode(text) {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')),
        (c) => c.charCodeAt(0));
}

function encode(octets) {
    return btoa(String.fromCharCode(...new Uint8Array(octets)))
        .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

// The user may cancel; an authenticator may have one already.
function failed(error) {
    throw new Refusal(400, error.name === 'InvalidStateError'
        ? 'This passkey is added already.' : 'The passkey was not used.');
}

export async function addPasskey(name, { user }) {
    const { data } = await post('passkey/begin.json');
    const made = await navigator.credentials.create({ publicKey: {
        challenge: decode(data.challenge),
        rp: { id: data.site, name: t('title') },
        user: { id: decode(data.user), name: user.mail,
            displayName: user.name || user.mail },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key',
            alg })),
        authenticatorSelection: { residentKey: 'required',
            requireResidentKey: true, userVerification: 'required' },
        excludeCredentials: data.exclude.map((id) => ({ type: 'public-key',
            id: decode(id) })),
        attestation: 'none', timeout
    } }).catch(failed);

    return post('passkey/add.json', { name,
        client_data: encode(made.response.clientDataJSON),
        attestation: encode(made.response.attestationObject) });
}

export async function signInByPasskey() {
    const { data } = await post('session/begin.json');
    const { rawId, response } = await navigator.credentials.get({ publicKey: {
        challenge: decode(data.challenge), rpId: data.site,
        userVerification: 'required', timeout
    } }).catch(failed);

    return post('session/passkey.json', { credential: encode(rawId),
        client_data: encode(response.clientDataJSON),
        authenticator_data: encode(response.authenticatorData),
        signature: encode(response.signature),
        user: encode(response.userHandle) });
}

// Signs in again, for a call that needs a recent sign-in.  Another user gets a
// new page.
export async function confirmByPasskey() {
    const { data: me } = await get('me.json');
    const { data } = await signInByPasskey();

    if (data.user !== me.user.id) {
        forget();
        location.reload();
        throw new Refusal(400, 'The passkey was not used.');
    }
}
