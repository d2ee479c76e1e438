// The Hello of both sides: the server's has a challenge, the client's proves possession of the key.

#include "load.h"
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>

static void take_exactly(struct connection *connection, uint8_t *into, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t step = take(connection, into + done, count - done);
        if (step <= 0) fail("the server closed before its Hello");
        done += (size_t)step;
    }
}

// The 32 bytes of field 6 (challenge) of field 1 (hello) of the server's first frame.
static void read_challenge(struct connection *connection, uint8_t challenge[32]) {
    uint8_t body[4096];
    take_exactly(connection, body, 4);
    size_t count = frame_length(body) - 4;
    errno = 0;
    if (count > sizeof body) fail("the server's Hello is too long");
    take_exactly(connection, body, count);
    for (size_t i = 0; i + 34 <= count; i++) {
        if (body[i] == 0x32 && body[i + 1] == 32) {
            memcpy(challenge, body + i + 2, 32);
            return;
        }
    }
    fail("the server's Hello has no challenge");
}

static uint8_t *put_counted(uint8_t *at, const char *text) {
    size_t count = strlen(text);
    *at++ = (uint8_t)(count >> 8);
    *at++ = (uint8_t)count;
    memcpy(at, text, count);
    return at + count;
}

// Splits <application>.<key id>.key in `name`; returns the key id.
static const char *cut_name(char *name, size_t limit) {
    const char *base = strrchr(settings.key, '/');
    snprintf(name, limit, "%s", base ? base + 1 : settings.key);
    char *end = strstr(name, ".key"), *dot;
    errno = 0;
    if (!end) fail("the key file is not called <application>.<key id>.key");
    *end = 0;
    if (!(dot = strrchr(name, '.'))) fail("the key file has no key id");
    *dot = 0;
    return dot + 1;
}

// Signs with a private key in PEM.
static size_t sign(
    const uint8_t *pem, size_t pem_bytes, const uint8_t *covered, size_t count, uint8_t proof[64]) {
    BIO *text = BIO_new_mem_buf(pem, (int)pem_bytes);
    EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, NULL, NULL) : NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t bytes = 64;
    errno = 0;
    if (!key || !context || EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        EVP_DigestSign(context, proof, &bytes, covered, count) != 1)
        fail("the key file is no Ed25519 key");
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(text);
    return bytes;
}

// Makes the proof (Protos/README.md, "Connection" 2). Returns its size in bytes.
static size_t make_proof(
    struct connection *connection, const char *application, const char *key_id,
    uint8_t proof[64]) {
    uint8_t key[512], covered[1024];
    size_t key_bytes = read_file(settings.key, key, sizeof key);
    memcpy(covered, "postern/1 hello", 16);
    read_challenge(connection, covered + 16);
    uint8_t *at = put_counted(covered + 48, settings.service);
    at = put_counted(at, application);
    at = put_counted(at, key_id);
    certificate_digest(connection, at);
    size_t count = (size_t)(at + 32 - covered);
    if (key_bytes > 11 && memcmp(key, "-----BEGIN ", 11) == 0)
        return sign(key, key_bytes, covered, count, proof);
    HMAC(EVP_sha256(), key, (int)key_bytes, covered, count, proof, NULL);
    return 32;
}

void say_hello(struct connection *connection) {
    char application[256];
    const char *key_id = cut_name(application, sizeof application);
    uint8_t proof[64], hello[2048], out[2048], *at = hello;
    size_t proof_bytes = make_proof(connection, application, key_id, proof);
    *at++ = 0x08;
    *at++ = 1;
    *at++ = 0x10;
    at = put_varint(at, FRAME_BYTES_MAX);
    *at++ = 0x20;
    at = put_varint(at, STREAM_CREDIT);
    at = put_bytes(at, 0x42, settings.service, strlen(settings.service));
    at = put_bytes(at, 0x4a, application, strlen(application));
    at = put_bytes(at, 0x52, key_id, strlen(key_id));
    at = put_bytes(at, 0x5a, proof, proof_bytes);
    at = put_bytes(out + 4, 0x0a, hello, (size_t)(at - hello));
    put_length(out, (uint32_t)(at - out - 4));
    if (give(connection, out, (size_t)(at - out)) != at - out) fail("write Hello");
}
