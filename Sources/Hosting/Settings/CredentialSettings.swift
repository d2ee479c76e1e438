package import RPC
import ServiceRuntime

/// With which certificates a program speaks, and who may call it. All of these files are read again
/// when they change.
package struct CredentialSettings: Sendable {
    /// The program's own certificate: shown to callers, and to the peers that it calls.
    package let certificate: CertificateFiles?
    /// The roots of callers' certificates.
    package let clientRoots: String?
    /// The roots of peers' certificates; with them peers are called by TLS.
    package let peerRoots: String?
    /// The oldest TLS that is spoken.
    package let floor: TLSFloor
    /// The list of callers; in place of the settings `callers` and `client-address-from`.
    package let callersFile: String?
    /// How often the files are looked at.
    package let interval: Duration

    init(reading settings: inout SettingsReader) {
        let chain = settings.optionalPath(
            "tls-certificate-file",
            reason: "PEM: own certificate, then those above it; turns TLS on.")
        let key = settings.optionalPath(
            "tls-key-file", reason: "PEM: its private key, readable by its owner only.")
        clientRoots = settings.optionalPath(
            "tls-client-ca-file", reason: "PEM: callers must show a certificate from these roots.")
        peerRoots = settings.optionalPath(
            "tls-peer-ca-file", reason: "PEM: peers are called by TLS and must be from these roots."
        )
        floor = settings.choice(
            "tls-minimum-version", default: .v12, reason: "1.3 where every caller speaks it.")
        callersFile = settings.optionalPath(
            "callers-file",
            reason: "Who may call, one a line, with their methods; replaces callers.")
        interval = settings.duration(
            "credentials-interval", default: .seconds(2), in: .milliseconds(100)...(.seconds(10)),
            reason: "How often certificates, keys and callers are looked at for changes.")
        certificate = chain.flatMap { chain in
            key.map { CertificateFiles(chain: chain, key: $0) }
        }
        settings.require(
            (chain == nil) == (key == nil), ["tls-certificate-file", "tls-key-file"],
            "a certificate and its key are given together")
        settings.require(
            clientRoots == nil || chain != nil, ["tls-client-ca-file", "tls-certificate-file"],
            "callers can show certificates only to a program that has one")
    }

    /// The files for listening; nil without TLS.
    package var serverFiles: ServerTLSFiles? {
        certificate.map { ServerTLSFiles(certificate: $0, roots: clientRoots, floor: floor) }
    }

    /// The files for calling peers; nil without TLS.
    package var clientFiles: ClientTLSFiles? {
        peerRoots.map { ClientTLSFiles(certificate: certificate, roots: $0, floor: floor) }
    }
}
