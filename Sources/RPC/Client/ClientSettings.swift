package import ServiceRuntime

/// Where a client calls, and as whom.
package struct ClientSettings: Sendable {
    /// The service's name, for instance `postern.session`.
    package let service: String
    /// Where it listens; a name may stand for several addresses.
    package let addresses: [ServiceAddress]
    /// The application that the client is.
    package let application: String
    /// Which of its keys.
    package let keyID: String
    /// The key; nil leaves the word to its certificate.
    package let secret: (any ApplicationProver)?
    /// Its TLS, and its key where that changes while it runs.
    package var security = ClientSecurity()
    /// How long a call waits for a connection: long enough for a peer's restart, short enough
    /// that a flow notices a peer that is gone.
    package let connectPatience: Duration
    /// Items of one stream that the server may send ahead of their consumer.
    package let streamCredit: UInt32
    /// Without calls for so long (up to twice that) a client closes its connections.
    package let idlePatience: Duration

    /// Settings of a client of a service with several addresses.
    package init(
        service: String, addresses: [ServiceAddress], application: String, keyID: String,
        secret: (any ApplicationProver)?, connectPatience: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit, idlePatience: Duration = .seconds(300)
    ) {
        self.service = service
        self.addresses = addresses
        self.application = application
        self.keyID = keyID
        self.secret = secret
        self.connectPatience = connectPatience
        self.streamCredit = streamCredit
        self.idlePatience = idlePatience
    }

    /// Settings of a client of a service with one address. One that is none is found out by the
    /// first call.
    package init(
        service: String, host: String, port: Int, application: String, keyID: String,
        secret: (any ApplicationProver)?, connectPatience: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit
    ) {
        self.init(
            service: service,
            addresses: ServiceAddress(host: host, port: port).map { [$0] } ?? [],
            application: application, keyID: keyID, secret: secret,
            connectPatience: connectPatience, streamCredit: streamCredit)
    }
}
