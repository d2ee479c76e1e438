/// Where a client calls, and as whom.
package struct ClientSettings: Sendable {
    /// The service's name, for instance `postern.session`.
    package let service: String
    /// Host name or address.
    package let host: String
    /// Port.
    package let port: Int
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

    /// Settings of a client.
    package init(
        service: String, host: String, port: Int, application: String, keyID: String,
        secret: (any ApplicationProver)?, connectPatience: Duration = .seconds(2)
    ) {
        self.service = service
        self.host = host
        self.port = port
        self.application = application
        self.keyID = keyID
        self.secret = secret
        self.connectPatience = connectPatience
    }
}

/// When a client may try to connect again: 100 ms × 1.6 up to 10 s, with a jitter of 0.2 so that
/// clients that lost one server do not come back in one wave.
struct ReconnectBackoff {
    private var base = Duration.milliseconds(100)

    /// The wait before the next attempt; `jitter` is a random number.
    mutating func next(jitter: UInt64) -> Duration {
        let wait = base
        base = min(base * 16 / 10, .seconds(10))
        let spread = Int64(jitter % 401) - 200  // −200 … +200 thousandths
        return wait + wait * Int(spread) / 1_000
    }

    /// A connection stood: the next loss starts from the shortest wait.
    mutating func reset() { base = .milliseconds(100) }
}
