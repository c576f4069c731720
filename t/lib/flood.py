"""Receivers whose answers do not end.

flood.py CERTIFICATE KEY: serves HTTP and HTTPS at free ports of 127.0.0.1 and
prints "PLAIN TLS", the two ports.  The path of a request names the answer.  At
the end of each answer a line tells its name and how many octets were written.
"""

import os
import socket
import ssl
import sys
import threading
import time

HEAD = b'HTTP/1.1 200 OK\r\n'
CHUNKED = HEAD + b'Transfer-Encoding: chunked\r\n\r\n'

# name: (how it begins, what is repeated, seconds between)
ANSWERS = {
    'headers': (HEAD, b'X-Name: ' + b'z' * 100 + b'\r\n', 0),
    'tiny': (HEAD, b'a:\r\n', 0),
    'interim': (b'', b'HTTP/1.1 102 Wait\r\n\r\n', 0),
    'trailers': (CHUNKED + b'0\r\n', b'X-Name: ' + b'z' * 100 + b'\r\n', 0),
    'tinytrailers': (CHUNKED + b'0\r\n', b'a:\r\n', 0),
    'extension': (CHUNKED + b'1;', b'x' * 1000, 0),
    'chunks': (CHUNKED, b'1;name=' + b'x' * 500 + b'\r\ny\r\n', 0),
    'body': (HEAD + b'\r\n', b'x' * 1000, 0),
    'dripheader': (HEAD + b'X: ', b'z', 0.01),
    'dripbody': (HEAD + b'\r\n', b'z', 0.01),
    'driptrailers': (CHUNKED + b'0\r\nX: ', b'z', 0.01),
}
BLOCK = 65536


def request(conn):
    head = b''
    while b'\r\n\r\n' not in head:
        got = conn.recv(65536)
        if not got:
            return ''
        head += got
    return head.split(b' ')[1].decode().strip('/').split('/')[0]


def answer(conn, name):
    begin, again, wait = ANSWERS[name]
    if not wait:
        again *= max(1, BLOCK // len(again))
    n = 0
    try:
        conn.sendall(begin)
        while True:
            n += conn.send(again)
            if wait:
                time.sleep(wait)
    except OSError:
        pass
    os.write(1, b'%s %d\n' % (name.encode(), n))


def serve(conn, context):
    conn.settimeout(30)
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BLOCK)
    conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        if context:
            conn = context.wrap_socket(conn, server_side=True)
        name = request(conn)
        if name:
            answer(conn, name)
    except OSError:
        pass
    conn.close()


def accept(listener, context):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=serve, args=(conn, context),
                         daemon=True).start()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listeners = [socket.create_server(('127.0.0.1', 0), backlog=256)
                 for _ in range(2)]
    print(*[x.getsockname()[1] for x in listeners], flush=True)
    threading.Thread(target=accept, args=(listeners[0], None),
                     daemon=True).start()
    accept(listeners[1], context)


main()
