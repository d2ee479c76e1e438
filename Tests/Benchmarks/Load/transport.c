// Bytes to and from a server, in plaintext or with TLS 1.3.

#include "load.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static SSL_CTX *tls_context(void) {
    static SSL_CTX *context;
    if (context) return context;
    context = SSL_CTX_new(TLS_client_method());
    if (!context || !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)) fail("TLS");
    if (SSL_CTX_set_alpn_protos(context, (const uint8_t *)"\x09postern/1", 10)) fail("ALPN");
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

void start_tls(struct connection *connection) {
    connection->tls = SSL_new(tls_context());
    errno = 0;
    if (!connection->tls || !SSL_set_fd(connection->tls, connection->file) ||
        SSL_connect(connection->tls) != 1)
        fail("the TLS handshake failed");
}

// SHA-256 of the server's certificate; zeros without TLS.
void certificate_digest(struct connection *connection, uint8_t digest[32]) {
    memset(digest, 0, 32);
    if (!connection->tls) return;
    X509 *certificate = SSL_get1_peer_certificate(connection->tls);
    if (!certificate || !X509_digest(certificate, EVP_sha256(), digest, NULL))
        fail("the server has no certificate");
    X509_free(certificate);
}

static ssize_t outcome(struct connection *connection, int result, const char *what) {
    if (result > 0) return result;
    switch (SSL_get_error(connection->tls, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return -1;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: fail(what);
    }
}

ssize_t give(struct connection *connection, const uint8_t *bytes, size_t count) {
    if (connection->tls)
        return outcome(connection, SSL_write(connection->tls, bytes, (int)count), "TLS write");
    ssize_t step = write(connection->file, bytes, count);
    if (step < 0 && errno != EAGAIN) fail("write");
    return step;
}

ssize_t take(struct connection *connection, uint8_t *bytes, size_t count) {
    if (connection->tls)
        return outcome(connection, SSL_read(connection->tls, bytes, (int)count), "TLS read");
    ssize_t step = read(connection->file, bytes, count);
    if (step < 0 && errno != EAGAIN) fail("read");
    return step;
}

// Whether OpenSSL holds decrypted bytes, which the socket does not report.
int has_more(struct connection *connection) {
    return connection->tls && SSL_pending(connection->tls) > 0;
}
