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

/// With which files a server speaks TLS.
package struct ServerTLSFiles: Hashable, Sendable {
    /// Its own certificate.
    package let certificate: CertificateFiles
    /// The roots of its callers' certificates; with them every caller must show one.
    package let clientRoots: String?
    /// The oldest TLS that it speaks.
    package let floor: TLSFloor

    /// A server's files.
    package init(certificate: CertificateFiles, clientRoots: String?, floor: TLSFloor = .v12) {
        self.certificate = certificate
        self.clientRoots = clientRoots
        self.floor = floor
    }

    /// All of them, to be watched.
    package var paths: [String] { certificate.paths + [clientRoots].compactMap(\.self) }
}

/// With which files a client speaks TLS.
package struct ClientTLSFiles: Hashable, Sendable {
    /// The roots that servers' certificates must come from: the operator's own, not the world's.
    package let roots: String
    /// Its own certificate, for servers that ask for one.
    package let certificate: CertificateFiles?
    /// The oldest TLS that it speaks.
    package let floor: TLSFloor

    /// A client's files.
    package init(roots: String, certificate: CertificateFiles?, floor: TLSFloor = .v12) {
        self.roots = roots
        self.certificate = certificate
        self.floor = floor
    }

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
