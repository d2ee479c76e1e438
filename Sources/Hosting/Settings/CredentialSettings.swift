package import RPC
import ServiceRuntime

/// The settings of a program's certificates and callers. All of these files are reloaded when they
/// change.
package struct CredentialSettings: Sendable {
    /// The program's own certificate, presented to callers and to the peers that it calls.
    package var certificate: CertificateFiles?
    /// The root certificates for callers' certificates.
    package var clientRoots: String?
    /// The root certificates for peers' certificates. Where they are set, peers are called with
    /// TLS.
    package var peerRoots: String?
    /// The oldest accepted TLS version.
    package var floor = TLSFloor.v12
    /// The file with the list of callers. Replaces the settings `callers` and
    /// `client-address-from`.
    package var callersFile: String?
    /// How often the files are checked for changes.
    package var interval: Duration = .seconds(2)
}

extension CredentialSettings {
    init(reading settings: inout SettingsReader, hasRPCServer: Bool) {
        self.init()
        let chain = settings.optionalPath(
            "tls-certificate-file",
            reason: "PEM: own certificate, then its chain; enables TLS.")
        let key = settings.optionalPath(
            "tls-key-file", use: .secret,
            reason: "PEM: its private key, readable by its owner only.")
        clientRoots =
            hasRPCServer
            ? settings.optionalPath(
                "tls-client-ca-file",
                reason: "PEM: callers must show a certificate from these roots.") : nil
        peerRoots = settings.optionalPath(
            "tls-peer-ca-file", reason: "PEM: peers are called by TLS and must be from these roots."
        )
        settings.choice(
            "tls-minimum-version", &floor, reason: "Set 1.3 where every caller supports it.")
        callersFile =
            hasRPCServer
            ? settings.optionalPath(
                "callers-file", use: .trusted,
                reason: "Who may call, one a line, with their methods; replaces callers.") : nil
        settings.duration(
            "credentials-interval", &interval, in: .milliseconds(100)...(.seconds(10)),
            reason: "How often certificates, keys and callers are checked for changes.")
        certificate = chain.flatMap { chain in
            key.map { CertificateFiles(chain: chain, key: $0) }
        }
        settings.require(
            (chain == nil) == (key == nil), ["tls-certificate-file", "tls-key-file"],
            "a certificate and its key are given together")
        settings.require(
            clientRoots == nil || chain != nil, ["tls-client-ca-file", "tls-certificate-file"],
            "callers present certificates only to a program that has one")
    }

    /// The files of the server. Nil without TLS.
    package var serverFiles: ServerTLSFiles? {
        certificate.map { ServerTLSFiles(certificate: $0, roots: clientRoots, floor: floor) }
    }

    /// The files of the clients. Nil without TLS.
    package var clientFiles: ClientTLSFiles? {
        peerRoots.map { ClientTLSFiles(certificate: certificate, roots: $0, floor: floor) }
    }
}
