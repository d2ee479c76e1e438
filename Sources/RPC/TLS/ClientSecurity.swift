import Messages
import NIOCore
package import ServiceRuntime

/// The TLS and authentication settings of a client that can change while it runs. Each new
/// connection reads the current values.
package struct ClientSecurity: Sendable {
    /// The client's TLS; nil means plaintext connections.
    package var tls: Reloadable<ClientTLS>?
    /// The name that the server's certificate must contain, if it differs from the host that is
    /// dialled.
    package var serverName: String?
    /// The client's current key; replaces the key of the settings. If the contained value is nil,
    /// the client sends no proof by key and is identified by its certificate alone.
    package var key: Reloadable<ApplicationKey?>?

    /// Plaintext, with the key from the settings.
    package init() {}
}

extension ClientSettings {
    /// Settings of a client whose key and certificate are reloaded when their files change.
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
    /// Adds TLS in front of the handler of a connection to `host`, if these settings use TLS.
    /// - Throws: `NIOSSLError` or a pipeline error when the TLS handler cannot be made or added.
    func guardChannel(_ channel: any Channel, to host: String) throws {
        try security.tls?.value.guardChannel(channel, serverName: security.serverName ?? host)
    }

    /// Writes this client's identity and its proof into `hello`.
    /// - Throws: As `ClientTLS.leafHash(of:)`, when the connection uses TLS.
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
