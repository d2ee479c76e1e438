"""Ed25519 signatures through OpenSSL's library, without any Python package."""

import base64
import ctypes

_ED25519 = 1087  # NID_ED25519, openssl/obj_mac.h

_crypto = ctypes.CDLL("libcrypto.so.3")
for _name in ("EVP_PKEY_new_raw_private_key", "EVP_MD_CTX_new"):
    getattr(_crypto, _name).restype = ctypes.c_void_p


class PrivateKey:
    """The key of a PEM text (PKCS #8): its last 32 bytes are the seed (RFC 8410)."""

    def __init__(self, pem):
        seed = base64.b64decode(b"".join(pem.splitlines()[1:-1]))[-32:]
        self._key = ctypes.c_void_p(_crypto.EVP_PKEY_new_raw_private_key(
            _ED25519, None, seed, ctypes.c_size_t(len(seed))))
        assert self._key, "no Ed25519 key"

    def sign(self, message):
        """The signature, 64 bytes."""
        context = ctypes.c_void_p(_crypto.EVP_MD_CTX_new())
        signature, count = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
        done = (_crypto.EVP_DigestSignInit(context, None, None, None, self._key) == 1
                and _crypto.EVP_DigestSign(context, signature, ctypes.byref(count), message,
                                           ctypes.c_size_t(len(message))) == 1)
        _crypto.EVP_MD_CTX_free(context)
        assert done, "EVP_DigestSign"
        return signature.raw
