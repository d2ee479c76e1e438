import Cryptography
import NIOSSL
import ServiceRuntime

/// A certificate with its private key, read and checked. A pair that does not match or a
/// certificate that has expired is never used.
struct OwnCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    /// SHA-256 of the leaf certificate, which the applications' proofs cover.
    let leafHash: [UInt8]
    /// The earliest expiry in the chain.
    let expiresAt: Timestamp

    /// Reads and checks the files.
    /// - Throws: `TLSFileError`; `SecretFileError` for a key file that other users may read.
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

    /// The certificates in a PEM file.
    /// - Throws: `TLSFileError.unreadable`.
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
