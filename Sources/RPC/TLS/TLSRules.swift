import NIOCore
import NIOSSL

/// What both sides' TLS has in common.
enum TLSRules {
    /// The protocol's name in the handshake (ALPN, RFC 7301): a server of another protocol on the
    /// same certificate cannot be made to take our bytes for its own (the ALPACA attacks, 2021).
    static let applicationProtocol = "postern/1"

    /// For TLS 1.2: forward secrecy and authenticated encryption only. TLS 1.3 has no others.
    private static let ciphers: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Puts them into `configuration`.
    static func apply(to configuration: inout TLSConfiguration, floor: TLSFloor) {
        configuration.minimumTLSVersion = floor == .v13 ? .tlsv13 : .tlsv12
        configuration.applicationProtocols = [applicationProtocol]
        configuration.cipherSuiteValues = ciphers
        configuration.renegotiationSupport = .none
        // A peer that never says goodbye is not waited for longer than one after a GoAway.
        configuration.shutdownTimeout = .init(FrameLimits.lingerPatience)
    }

    /// A context; making one finds out whether key and certificate belong together.
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
