"""Has the addresses of authenticator apps read by PyPI's pyotp, and prints the codes that it shows.

    python totp_codes.py APPS

APPS has a line for each app: a time in seconds since 1970, the app's name and the account's as they
must be read, in base 16, and the address. The output has a line for each: the codes of the time's
step, and of two steps to each side.
"""

import sys
from pathlib import Path

import pyotp

STEPS = range(-2, 3)


def text(base16):
    return bytes.fromhex(base16).decode()


def codes(line):
    moment, issuer, name, address = line.split(",")
    app = pyotp.parse_uri(address)
    assert (app.issuer or "", app.name) == (text(issuer), text(name)), line
    assert (app.digits, app.interval, len(app.byte_secret())) == (6, 30, 20), line
    shown = [app.at(int(moment) + 30 * step) for step in STEPS]
    for step, code in zip(STEPS, shown):
        # By chance another step may have the same code.
        window = app.verify(code, for_time=int(moment), valid_window=1)
        assert window == (code in shown[1:4]), (line, step)
    return " ".join(shown)


def main(path):
    for line in Path(path).read_text().splitlines():
        print(codes(line))


if __name__ == "__main__":
    main(sys.argv[1])
