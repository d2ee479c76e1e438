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

/// The files that a side uses for TLS. A server must have a certificate and may have roots; a
/// client must have roots and may have a certificate.
package struct TLSFiles<Own, Roots>: Hashable, Sendable
where Own: Hashable & Sendable, Roots: Hashable & Sendable {
    /// The side's own certificate.
    package let certificate: Own
    /// The root certificates for its peers: the operator's own, not the public ones.
    package let roots: Roots
    /// The oldest TLS version that it accepts.
    package let floor: TLSFloor

    /// The files of one side.
    package init(certificate: Own, roots: Roots, floor: TLSFloor = .v12) {
        self.certificate = certificate
        self.roots = roots
        self.floor = floor
    }
}

/// A server's files. With roots, every caller must present a certificate.
package typealias ServerTLSFiles = TLSFiles<CertificateFiles, String?>

/// A client's files. With a certificate, it presents it to servers that request one.
package typealias ClientTLSFiles = TLSFiles<CertificateFiles?, String>

extension TLSFiles<CertificateFiles, String?> {
    /// All files, for the credential watch.
    package var paths: [String] { certificate.paths + [roots].compactMap(\.self) }
}

extension TLSFiles<CertificateFiles?, String> {
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
