#!/usr/bin/python3
"""gateway.py PORT KEYFILE DATABASE: an example of a server for "gateway http"
(rbl-operations(7)).  It declines accounts that the table "customer" lacks; the
table "payment" has debits for your bank.  Change charge() as you need."""

import base64, hmac, json, sqlite3, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

with open(sys.argv[2], 'rb') as file:
    secret = file.readline().rstrip(b'\r\n')
db = sqlite3.connect(sys.argv[3])
db.executescript("""PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS customer (account PRIMARY KEY, mandate);
    CREATE TABLE IF NOT EXISTS payment (number INTEGER PRIMARY KEY,
        key UNIQUE, account, mandate, amount, time, answer);""")


def known(key):
    row = db.execute('SELECT answer FROM payment WHERE key = ?', [key])
    return next((json.loads(answer) for answer, in row), None)


def charge(key, p):
    """A new payment and its answer are stored together, or not at all."""
    row = db.execute('SELECT mandate FROM customer WHERE account = ?',
                     [p['account']]).fetchone()
    answer = {'key': key, 'amount': p['amount'], 'currency': p['currency']}
    answer.update({'status': 'succeeded', 'reference': 'debit-' + key} if row
                  else {'status': 'declined', 'reason': 'no_mandate'})
    with db:
        db.execute('INSERT INTO payment VALUES (NULL, ?, ?, ?, ?, ?, ?)',
                   [key, p['account'], row[0] if row else '', p['amount'],
                    time.strftime('%F %T', time.gmtime()), json.dumps(answer)])
    return answer


class Handler(BaseHTTPRequestHandler):
    def signed(self, key, body):
        stamp = self.headers.get('webhook-timestamp', '')
        mac = hmac.digest(secret, f'{key}.{stamp}.'.encode() + body, 'sha256')
        return stamp.isdigit() and abs(time.time() - int(stamp)) < 300 \
            and hmac.compare_digest(b'v1,' + base64.b64encode(mac),
                self.headers.get('webhook-signature', '').encode())

    def do_POST(self):
        """GET has no body: it asks, and charges nothing."""
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        key = self.headers.get('Idempotency-Key', '')
        signed = self.signed(key, body)
        answer = signed and known(key)
        if signed and body and not answer:
            answer = charge(key, json.loads(body))
        self.send_response(200 if answer else 404 if signed else 401)
        self.end_headers()
        self.wfile.write(json.dumps(answer or {}).encode())

    do_GET = do_POST


HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
