import Messages
import NIOCore
package import ServiceRuntime

/// How a client's connections are guarded and how it proves itself, where that changes while it
/// runs: each new connection asks.
package struct ClientSecurity: Sendable {
    /// Its TLS; nil speaks plainly.
    package var tls: Live<ClientTLS>?
    /// What the server's certificate must name, where that is not the host dialled.
    package var serverName: String?
    /// Its key in force, in place of the settings' own; nil in it leaves the word to its
    /// certificate.
    package var key: Live<ApplicationKey?>?

    /// No TLS, and the settings' own key.
    package init() {}
}

extension ClientSettings {
    /// Settings of a client whose key and certificate are followed as their files change.
    package init(
        service: String, addresses: [ServiceAddress], application: String,
        security: ClientSecurity, connectPatience: Duration = .seconds(2)
    ) {
        self.init(
            service: service, addresses: addresses, application: application, keyID: "",
            secret: nil, connectPatience: connectPatience)
        self.security = security
    }
}

extension ClientSettings {
    /// Puts TLS before the handler of a connection to `host`, if these settings have it.
    func guardChannel(_ channel: any Channel, to host: String) throws {
        try security.tls?.value.guardChannel(channel, serverName: security.serverName ?? host)
    }

    /// Writes into `hello` who this client is, and the proof of it.
    func prove(
        _ hello: inout WireV1.Hello, challenge: [UInt8], over channel: (any Channel)?
    ) throws {
        var leafHash = ApplicationProof.noCertificate
        if security.tls != nil, let channel {
            leafHash = try ClientTLS.leafHash(of: channel.pipeline)
        }
        hello.application = application
        let own = security.key.map { live in live.value.map { ($0.keyID, $0.key) } }
        guard let (keyID, key) = own ?? secret.map({ (keyID, $0) }) else { return }
        hello.keyId = keyID
        hello.proof = ApplicationProof.make(
            challenge: challenge, hello, key: key, leafHash: leafHash)
    }
}
