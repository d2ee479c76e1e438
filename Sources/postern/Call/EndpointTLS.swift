import RPC
import ServiceRuntime

/// With which files the tool speaks TLS, as `endpoints.json` names them in `tls`:
///
///     roots              those that the services' certificates must come from
///     certificate        its own, for services that ask for one
///     certificate_key    that one's private key
///     certificate_name   what the services' certificates must name, where that is not the host
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

    /// A certificate and its key are given together.
    var isWhole: Bool { (certificate == nil) == (certificateKey == nil) }

    /// - Parameter path: where a file is that is named as the endpoints file names it.
    /// - Throws: what is wrong with a file.
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
