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
    /// Items of one stream that a client may send ahead of their consumer.
    package let streamCredit: UInt32
    /// How much the whole server takes on at once.
    package let limits: ServerLimits
    /// The operator's word that a listener beyond loopback may speak without TLS.
    package let isPlaintextTrusted: Bool
    /// Program and version, told to peers.
    package let agent: String

    /// Settings of a server; the defaults suit one service on one machine.
    package init(
        service: String, host: String, port: Int,
        frameBytesMax: Int = FrameLimits.frameBytesDefault, callsMax: Int = FrameLimits.callsMax,
        streamCredit: UInt32 = FrameLimits.streamCredit, limits: ServerLimits = ServerLimits(),
        isPlaintextTrusted: Bool = false, agent: String = "postern/1"
    ) {
        self.service = service
        self.host = host
        self.port = port
        self.frameBytesMax = frameBytesMax
        self.callsMax = callsMax
        self.streamCredit = streamCredit
        self.limits = limits
        self.isPlaintextTrusted = isPlaintextTrusted
        self.agent = agent
    }
}
