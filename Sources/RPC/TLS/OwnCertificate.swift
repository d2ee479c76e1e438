import Cryptography
import NIOCore
import NIOSSL
import ServiceRuntime

/// A certificate with its key, read and checked: a pair that does not fit, or whose time is over,
/// is never put into force.
struct OwnCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// SHA-256 of the leaf, for the applications' proofs.
    let leafHash: [UInt8]
    /// When the first of the chain ends.
    let expiresAt: Timestamp

    /// - Throws: `TLSFileError`, `SecretFileError` for a key that others may read.
    init(_ files: CertificateFiles, now: Timestamp) throws {
        chain = try Self.certificates(files.chain)
        guard let leaf = chain.first else { throw TLSFileError.unreadable(files.chain) }
        let expiries = chain.map { Timestamp(milliseconds: Int64($0.notValidAfter) * 1_000) }
        expiresAt = expiries.min() ?? now
        guard now < expiresAt else { throw TLSFileError.expired(files.chain) }
        guard Timestamp(milliseconds: Int64(leaf.notValidBefore) * 1_000) <= now else {
            throw TLSFileError.notYetValid(files.chain)
        }
        key = try Self.key(files.key)
        leafHash = SHA256.hash(try leaf.toDERBytes())
    }

    /// The certificates in a file.
    static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        do {
            return try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw TLSFileError.unreadable(path)
        }
    }

    private static func key(_ path: String) throws -> NIOSSLPrivateKey {
        let secret = try SecretFile.read(path)
        var bytes = secret.withBytes { Array($0) }
        defer { wipe(&bytes) }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw TLSFileError.keyMismatch(path)
        }
    }
}

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
            throw TLSFileError.keyMismatch(keyFile ?? "")
        }
    }
}
