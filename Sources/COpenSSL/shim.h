// OpenSSL's libcrypto for Swift. What Swift cannot call (variadic functions, macros that act as
// functions) stands here once, under this module's prefix.
#ifndef POSTERN_COPENSSL_SHIM_H
#define POSTERN_COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

// A new P-256 key pair, or NULL. EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *copenssl_generate_p256(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

// A new RSA key pair of so many bits, or NULL; by the same macro.
static inline EVP_PKEY *copenssl_generate_rsa(size_t bits) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", bits);
}

// Hands the expected tag to a decryption; OpenSSL only reads it, though its type says otherwise.
static inline int copenssl_set_gcm_tag(EVP_CIPHER_CTX *context, int bytes, const void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, bytes, (void *)tag);
}

// A P-256 key from its point (SEC 1) and, for a private key, its number; NULL when they are no key.
// In C, because the builder and OSSL_PARAM keep the addresses of names: a Swift string handed to
// them as `const char *` is gone when the call returns.
static inline EVP_PKEY *copenssl_p256(
    const unsigned char *point, size_t point_bytes, const BIGNUM *number) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (builder != NULL && context != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, point_bytes) == 1 &&
        (number == NULL || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1) &&
        (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL &&
        EVP_PKEY_fromdata_init(context) == 1) {
        int selection = number != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
        if (EVP_PKEY_fromdata(context, &key, selection, parameters) != 1) key = NULL;
    }
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

// HMAC-SHA-256 (RFC 2104) under one key: the inner and the outer hash, each after the key's block.
// Plain values that every message copies, so it takes neither memory nor a lock; EVP_MAC takes both,
// and twice the time. OpenSSL has deprecated these functions; its SHA-256 behind EVP is made of them.
typedef struct {
    SHA256_CTX inner, outer;
} copenssl_hmac_sha256;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

// Sets a key of at most a block; 1 when done.
static inline int copenssl_hmac_sha256_set(
    copenssl_hmac_sha256 *hmac, const unsigned char *key, size_t bytes) {
    unsigned char block[SHA256_CBLOCK];
    if (bytes > SHA256_CBLOCK) return 0;
    for (size_t place = 0; place < SHA256_CBLOCK; place++)
        block[place] = (place < bytes ? key[place] : 0) ^ 0x36;
    int is_set = SHA256_Init(&hmac->inner) && SHA256_Update(&hmac->inner, block, SHA256_CBLOCK);
    for (size_t place = 0; place < SHA256_CBLOCK; place++) block[place] ^= 0x36 ^ 0x5c;
    is_set = is_set && SHA256_Init(&hmac->outer)
        && SHA256_Update(&hmac->outer, block, SHA256_CBLOCK);
    OPENSSL_cleanse(block, sizeof block);
    return is_set;
}

// The longest message that fits, padded, into one block of SHA-256.
enum { COPENSSL_HMAC_SHORT_MAX = SHA256_CBLOCK - 9 };

// Goes on with a half by the last block of its message: `bytes` of it are there and are padded here
// (FIPS 180-4, 5.1.1); the key's block has gone into the half before.
static inline void copenssl_sha256_last(
    SHA256_CTX *half, unsigned char block[SHA256_CBLOCK], size_t bytes) {
    size_t bits = (SHA256_CBLOCK + bytes) * 8;
    block[bytes] = 0x80;
    memset(block + bytes + 1, 0, SHA256_CBLOCK - 3 - bytes);
    block[SHA256_CBLOCK - 2] = (unsigned char)(bits >> 8);
    block[SHA256_CBLOCK - 1] = (unsigned char)bits;
    SHA256_Transform(half, block);
}

// Writes the state of a half as its hash, 32 bytes.
static inline void copenssl_sha256_write(const SHA256_CTX *half, unsigned char *hash) {
    for (size_t word = 0; word < 8; word++) {
        uint32_t bytes = htobe32(half->h[word]);
        memcpy(hash + 4 * word, &bytes, 4);
    }
}

// The same as below for a message of COPENSSL_HMAC_SHORT_MAX bytes at most, whose two blocks are put
// together here: OpenSSL's way through its buffers costs as much again as the blocks themselves.
static inline void copenssl_hmac_sha256_short(
    const copenssl_hmac_sha256 *hmac, const void *message, size_t bytes, unsigned char *hash) {
    unsigned char block[SHA256_CBLOCK];
    SHA256_CTX half;
    memcpy(half.h, hmac->inner.h, sizeof half.h);
    if (bytes > 0) memcpy(block, message, bytes);
    copenssl_sha256_last(&half, block, bytes);
    copenssl_sha256_write(&half, block);
    memcpy(half.h, hmac->outer.h, sizeof half.h);
    copenssl_sha256_last(&half, block, SHA256_DIGEST_LENGTH);
    copenssl_sha256_write(&half, hash);
    OPENSSL_cleanse(block, sizeof block);
}

// Writes the hash of a message, 32 bytes; 1 when done.
static inline int copenssl_hmac_sha256_hash(
    const copenssl_hmac_sha256 *hmac, const void *message, size_t bytes, unsigned char *hash) {
    if (bytes <= COPENSSL_HMAC_SHORT_MAX) {
        copenssl_hmac_sha256_short(hmac, message, bytes, hash);
        return 1;
    }
    SHA256_CTX inner = hmac->inner, outer = hmac->outer;
    return SHA256_Update(&inner, message, bytes) && SHA256_Final(hash, &inner)
        && SHA256_Update(&outer, hash, SHA256_DIGEST_LENGTH) && SHA256_Final(hash, &outer);
}

#pragma clang diagnostic pop

#endif
