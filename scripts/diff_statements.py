#!/usr/bin/env python3
"""Runs the statements of files on chdb and on a server of Entasis, and prints what differs:
`diff_statements.py FILE...`; ENTASIS names the binary.

Each file is one session on either side, so statements may build on each other. A statement differs
if its output or the name of its error does. An error that both give is not shown."""

import http.client
import os
import re
import sys
import urllib.parse
from pathlib import Path

import oracle
from own_server import OwnServer

ERROR_NAME = re.compile(r"\(([A-Z][A-Z0-9_]+)\)")
BINARY = os.environ.get("ENTASIS", "target/release/entasis")


def reference(statements):
    """What chdb answers to each statement: its output, or the name and the text of its error."""
    from chdb import session as chdb_session

    session = chdb_session.Session()
    session.query("SET implicit_select = 0")
    for statement in statements:
        try:
            yield bytes(session.query(statement.text, "TSV").bytes()).decode(errors="replace"), ""
        except Exception as error:  # chdb raises RuntimeError with the server's text
            yield error_of(str(error).strip())
    session.close()


def error_of(text):
    """The name of an error, marked as such, and its text."""
    found = ERROR_NAME.findall(text.split("\n")[0]) or ERROR_NAME.findall(text)
    return f"! {found[-1] if found else 'UNKNOWN'}\n", text


def ours(statements, server, session):
    """What Entasis answers to each statement, in the same form."""
    parameters = {"session_id": session, "default_format": "TSV", "session_timeout": 3600}
    for statement in statements:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        target = "/?" + urllib.parse.urlencode(parameters)
        try:
            connection.request("POST", target, statement.text.encode())
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
        except OSError as error:
            yield f"! {error}\n", str(error)
            continue
        yield error_of(text.strip()) if response.status != 200 else (text, "")


def main():
    os.environ["TZ"] = "UTC"
    server = OwnServer(BINARY, "diff-statements")
    try:
        for name in sys.argv[1:]:
            statements = oracle.split(Path(name).read_text())
            differing = 0
            both = zip(statements, reference(statements), ours(statements, server, name))
            for statement, (wanted, why), (given, reason) in both:
                if wanted == given:
                    continue
                differing += 1
                print(f"> {statement.text}")
                for sign, text, message in (("-", wanted, why), ("+", given, reason)):
                    lines = (message or text).rstrip("\n").split("\n")[:12]
                    print("".join(f"{sign} {line[:260]}\n" for line in lines), end="")
            print(f"{name}: {len(statements)} statements, {differing} differ")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
