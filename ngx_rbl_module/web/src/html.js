// Templates: htm bound to Preact.  A text from outside stands in <bdi>.

import { h } from 'preact';
import htm from 'htm';

import { closed } from './bidi.js';

export const html = htm.bind((type, props, ...children) => h(type, props,
    ...(type === 'bdi' ? children.map(closed) : children)));
