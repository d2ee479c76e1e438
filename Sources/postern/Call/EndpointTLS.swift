import RPC
import ServiceRuntime

/// The tool's TLS files, as `tls` in `endpoints.json` names them:
///
///     roots              the CA certificates of the services' certificates
///     certificate        the tool's own certificate, for services that require one
///     certificate_key    its private key
///     certificate_name   the name in the services' certificates, if it is not the host
struct EndpointTLS: Decodable {
    let roots: String
    let certificate: String?
    let certificateKey: String?
    let certificateName: String?

    private enum CodingKeys: String, CodingKey {
        case roots, certificate
        case certificateKey = "certificate_key"
        case certificateName = "certificate_name"
    }

    /// A certificate and its key are given together or not at all.
    var isWhole: Bool { (certificate == nil) == (certificateKey == nil) }

    /// - Parameter path: resolves a file name of the endpoints file to a path.
    /// - Throws: if a file cannot be read or is invalid.
    func security(_ path: (String) -> String) throws -> ClientSecurity {
        let own = certificate.flatMap { chain in
            certificateKey.map { CertificateFiles(chain: path(chain), key: path($0)) }
        }
        var security = ClientSecurity()
        security.tls = Live(
            try ClientTLS(
                ClientTLSFiles(certificate: own, roots: path(roots)), now: SystemTime().now()))
        security.serverName = certificateName
        return security
    }
}
