package import ServiceRuntime

/// The service that a client calls, and its identity.
package struct ClientSettings: Sendable {
    /// The service's name, for example `postern.session`.
    package let service: String
    /// The service's addresses; a host name may resolve to several.
    package let addresses: [ServiceAddress]
    /// The application as which the client calls.
    package let application: String
    /// The id of its key.
    package let keyID: String
    /// The key; with nil the client is identified by its certificate.
    package let secret: (any ApplicationProver)?
    /// Its TLS settings, and its key if it can change while the client runs.
    package var security = Security()
    /// How long a call waits for a connection: long enough for a peer's restart, short enough that
    /// a caller notices a peer that is down.
    package let connectTimeout: Duration
    /// Items of one stream that the server may send before they are consumed.
    package let streamCredit: UInt32
    /// A client closes its connections after this time without calls, at the latest after twice
    /// this time.
    package let idleTimeout: Duration

    /// Settings of a client of a service with several addresses.
    package init(
        service: String, addresses: [ServiceAddress], application: String, keyID: String,
        secret: (any ApplicationProver)?, connectTimeout: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit, idleTimeout: Duration = .seconds(300)
    ) {
        self.service = service
        self.addresses = addresses
        self.application = application
        self.keyID = keyID
        self.secret = secret
        self.connectTimeout = connectTimeout
        self.streamCredit = streamCredit
        self.idleTimeout = idleTimeout
    }

    /// Settings of a client of a service with one address. If the address is invalid, the first
    /// call fails.
    package init(
        service: String, host: String, port: Int, application: String, keyID: String,
        secret: (any ApplicationProver)?, connectTimeout: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit
    ) {
        self.init(
            service: service,
            addresses: ServiceAddress(host: host, port: port).map { [$0] } ?? [],
            application: application, keyID: keyID, secret: secret,
            connectTimeout: connectTimeout, streamCredit: streamCredit)
    }

    /// The TLS and authentication settings of a client that can change while it runs. Each new
    /// connection reads the current values.
    package struct Security: Sendable {
        /// The client's TLS; nil means plaintext connections.
        package var tls: Reloadable<ClientTLS>?
        /// The name that the server's certificate must contain, if it differs from the host that is
        /// dialled.
        package var serverName: String?
        /// The client's current key; replaces the key of the settings. If the contained value is
        /// nil, the client sends no proof by key and is identified by its certificate alone.
        package var key: Reloadable<ApplicationKey?>?

        /// Plaintext, with the key from the settings.
        package init() {}
    }
}
