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
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

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

// Writes the hash of a message, 32 bytes; 1 when done.
static inline int copenssl_hmac_sha256_hash(
    const copenssl_hmac_sha256 *hmac, const void *message, size_t bytes, unsigned char *hash) {
    SHA256_CTX inner = hmac->inner, outer = hmac->outer;
    return SHA256_Update(&inner, message, bytes) && SHA256_Final(hash, &inner)
        && SHA256_Update(&outer, hash, SHA256_DIGEST_LENGTH) && SHA256_Final(hash, &outer);
}

#pragma clang diagnostic pop

#endif
