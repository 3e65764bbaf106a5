"""A host application that embeds workbooks for its own users, who have no account at Quadrille.

It signs tokens with a secret that it shares with Quadrille. Needs Python only:
    SECRET="$(openssl rand -hex 32)" QUADRILLE=https://sheets.example.org python3 host.py
Quadrille needs its own address as `public_url`, the address of this host in `frame_ancestors`, and
the host as a token issuer:
    [[token_issuers]]
    issuer = "http://localhost:3000"
    secret_file = "/etc/quadrille/host-secret"
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUADRILLE = os.environ.get("QUADRILLE", "http://localhost:8000")
SECRET = os.environ["SECRET"].encode()


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(issuer: str, user: dict, room: str, role: str) -> str:
    """A token by which a user opens a workbook for an hour."""
    claims = {
        "iss": issuer,
        "aud": QUADRILLE,
        "exp": int(time.time()) + 3600,
        "sub": user["id"],
        "name": user["name"],
        "room": room,
        "role": role,
    }
    parts = [{"alg": "HS256", "typ": "JWT"}, claims]
    signed = ".".join(encode(json.dumps(part).encode()) for part in parts)
    return f"{signed}.{encode(hmac.new(SECRET, signed.encode(), hashlib.sha256).digest())}"


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        issuer = f"http://localhost:{self.server.server_port}"
        # The user that the host has signed in, and what they may do, by the host's own rules.
        user = {"id": "7", "name": "Ada Lovelace"}
        address = f"{QUADRILLE}/budget?embed=edit#token={token(issuer, user, 'budget', 'edit')}"
        page = f"""<!doctype html><title>Budget</title><h1>Our budget</h1>
<iframe title="Budget" width="900" height="500" referrerpolicy="no-referrer" src="{address}"></iframe>"""
        self.send_response(200)
        # The page has a secret of the user in it.
        self.send_header("cache-control", "no-store")
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("localhost", int(os.environ.get("PORT", "3000"))), Page)
print(f"The host listens on http://localhost:{server.server_port}", flush=True)
server.serve_forever()
