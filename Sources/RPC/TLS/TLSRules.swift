import NIOCore
import NIOSSL

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
