import NIOCore
import NIOSSL

/// The oldest TLS version that a side accepts.
package enum TLSFloor: String, CaseIterable, Sendable {
    /// TLS 1.2, for peers without TLS 1.3; only cipher suites with forward secrecy and
    /// authenticated encryption.
    case v12 = "1.2"
    /// TLS 1.3.
    case v13 = "1.3"
}

/// The PEM files of a certificate and its private key.
package struct CertificateFiles: Hashable, Sendable {
    /// The leaf certificate, followed by the intermediate certificates.
    package let chain: String
    /// The leaf's private key, which only its owner may read.
    package let key: String

    /// A certificate with its private key.
    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    var paths: [String] { [chain, key] }
}

/// The files that a server uses for TLS.
package struct ServerTLSFiles: Hashable, Sendable {
    /// The server's certificate.
    package let certificate: CertificateFiles
    /// The root certificates for its callers: the operator's own, not the public ones. With roots,
    /// every caller must present a certificate.
    package let roots: String?
    /// The oldest TLS version that it accepts.
    package let floor: TLSFloor

    /// The files of a server.
    package init(certificate: CertificateFiles, roots: String?, floor: TLSFloor = .v12) {
        self.certificate = certificate
        self.roots = roots
        self.floor = floor
    }

    /// All files, for the credential watch.
    package var paths: [String] { certificate.paths + [roots].compactMap(\.self) }
}

/// The files that a client uses for TLS.
package struct ClientTLSFiles: Hashable, Sendable {
    /// The client's certificate, which it presents to servers that request one.
    package let certificate: CertificateFiles?
    /// The root certificates for its servers: the operator's own, not the public ones.
    package let roots: String
    /// The oldest TLS version that it accepts.
    package let floor: TLSFloor

    /// The files of a client.
    package init(certificate: CertificateFiles?, roots: String, floor: TLSFloor = .v12) {
        self.certificate = certificate
        self.roots = roots
        self.floor = floor
    }

    /// All files, for the credential watch.
    package var paths: [String] { [roots] + (certificate?.paths ?? []) }
}

/// Why certificates cannot be used; names the file.
package enum TLSFileError: Error, Equatable, CustomStringConvertible {
    /// Missing, unreadable, or not PEM.
    case unreadable(String)
    /// The certificate has expired.
    case expired(String)
    /// The certificate is not yet valid.
    case notYetValid(String)
    /// The key does not match the certificate, or the file contains no key.
    case keyMismatch(String)

    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read, or holds no PEM of its kind"
        case .expired(let path): "the certificate in \(path) has expired"
        case .notYetValid(let path): "the certificate in \(path) is not yet valid"
        case .keyMismatch(let path): "\(path) does not hold the private key of its certificate"
        }
    }
}

/// The TLS settings that servers and clients share.
enum TLSRules {
    /// The protocol name in the handshake (ALPN, RFC 7301). It stops an attacker from redirecting
    /// our bytes to a server of another protocol that has the same certificate (the ALPACA attacks,
    /// 2021).
    static let applicationProtocol = "postern/1"

    /// For TLS 1.2: forward secrecy and authenticated encryption only. TLS 1.3 has no others.
    private static let ciphers: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Applies these settings to `configuration`.
    static func apply(to configuration: inout TLSConfiguration, floor: TLSFloor) {
        configuration.minimumTLSVersion = floor == .v13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = [applicationProtocol]
        configuration.cipherSuiteValues = ciphers
        configuration.renegotiationSupport = .none
        // A peer that never sends close_notify delays the close no longer than one after a GoAway.
        configuration.shutdownTimeout = .init(FrameLimits.lingerTimeout)
    }

    /// Makes a context. This also checks that key and certificate match.
    /// - Throws: `TLSFileError.keyMismatch` when there is a key file, else NIOSSL's error.
    static func context(
        _ configuration: TLSConfiguration, keyFile: String?
    ) throws -> NIOSSLContext {
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw keyFile.map { TLSFileError.keyMismatch($0) } ?? error
        }
    }
}
