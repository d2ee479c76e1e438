/// What an RPC server is told. Limits that no operator needs to move stand in `FrameLimits`.
package struct ServerSettings: Sendable {
    /// The name that clients dial, for instance `postern.gateway`.
    package let service: String
    /// Address to listen on.
    package let host: String
    /// Port to listen on; 0 lets the system pick.
    package let port: Int
    /// Largest frame that is read, in bytes.
    package let frameBytesMax: Int
    /// Handlers running at once on one connection.
    package let callsMax: Int
    /// Handlers running at once in the whole server.
    package let runningMax: Int
    /// Connections at once.
    package let connectionsMax: Int
    /// Items of one stream that a client may send ahead of their consumer.
    package let streamCredit: UInt32
    /// The operator's word that a listener beyond loopback may speak without TLS.
    package let isPlaintextTrusted: Bool
    /// Program and version, told to peers.
    package let agent: String

    /// Settings of a server; the defaults suit one service on one machine.
    package init(
        service: String, host: String, port: Int,
        frameBytesMax: Int = FrameLimits.frameBytesDefault, callsMax: Int = FrameLimits.callsMax,
        runningMax: Int = 10_000, connectionsMax: Int = 10_000,
        streamCredit: UInt32 = FrameLimits.streamCredit,
        isPlaintextTrusted: Bool = false, agent: String = "postern/1"
    ) {
        self.service = service
        self.host = host
        self.port = port
        self.frameBytesMax = frameBytesMax
        self.callsMax = callsMax
        self.runningMax = runningMax
        self.connectionsMax = connectionsMax
        self.streamCredit = streamCredit
        self.isPlaintextTrusted = isPlaintextTrusted
        self.agent = agent
    }
}
