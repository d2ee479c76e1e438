"""A device key: registered at a sign-in, signs each refresh (S-04). Written from Protos/ alone."""

import struct

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

P256 = 1


def message(*parts):
    """The parts, each preceded by its length in four bytes."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


class DeviceKey:
    """A P-256 key pair."""

    def __init__(self, device_id):
        self.device_id = device_id
        self.private = ec.generate_private_key(ec.SECP256R1())

    def registration(self):
        """The fields of a sign-in's device key."""
        public = self.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        signed = message(b"postern device key v1", public, self.device_id.encode())
        return dict(kind=P256, public_key=public, possession=self._sign(signed))

    def proof(self, token, now_ms):
        """The fields of a refresh's device proof."""
        signed = message(b"postern refresh v1", token.encode(), struct.pack(">q", now_ms))
        return dict(signed_at_ms=now_ms, signature=self._sign(signed))

    def _sign(self, signed):
        r, s = utils.decode_dss_signature(self.private.sign(signed, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
