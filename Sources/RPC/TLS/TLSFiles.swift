/// The oldest TLS that a side speaks.
package enum TLSFloor: String, CaseIterable, Sendable {
    /// For peers that know no newer one; with forward secrecy and authenticated ciphers only.
    case v12 = "1.2"
    /// The present one.
    case v13 = "1.3"
}

/// A certificate with its key, in files of PEM.
package struct CertificateFiles: Hashable, Sendable {
    /// The leaf, then those between it and its root.
    package let chain: String
    /// The leaf's private key, which only its owner may read.
    package let key: String

    /// A certificate with its key.
    package init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }

    var paths: [String] { [chain, key] }
}

/// With which files a side speaks TLS. What a server must have a client may have, and the other way
/// round.
package struct TLSFiles<Own, Roots>: Hashable, Sendable
where Own: Hashable & Sendable, Roots: Hashable & Sendable {
    /// Its own certificate.
    package let certificate: Own
    /// The roots of its peers' certificates: the operator's own, not the world's.
    package let roots: Roots
    /// The oldest TLS that it speaks.
    package let floor: TLSFloor

    /// A side's files.
    package init(certificate: Own, roots: Roots, floor: TLSFloor = .v12) {
        self.certificate = certificate
        self.roots = roots
        self.floor = floor
    }
}

/// A server's: with roots every caller must show a certificate.
package typealias ServerTLSFiles = TLSFiles<CertificateFiles, String?>

/// A client's: with a certificate it has one to show to servers that ask.
package typealias ClientTLSFiles = TLSFiles<CertificateFiles?, String>

extension TLSFiles<CertificateFiles, String?> {
    /// All of them, to be watched.
    package var paths: [String] { certificate.paths + [roots].compactMap(\.self) }
}

extension TLSFiles<CertificateFiles?, String> {
    /// All of them, to be watched.
    package var paths: [String] { [roots] + (certificate?.paths ?? []) }
}

/// Why certificates cannot be used; says which file.
package enum TLSFileError: Error, Equatable, CustomStringConvertible {
    /// Missing, unreadable, or not PEM.
    case unreadable(String)
    /// Its time is over.
    case expired(String)
    /// Its time has not begun.
    case notYetValid(String)
    /// The key is not the certificate's, or is none.
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
