/// The settings of an RPC server. Limits that no operator needs to change are in `FrameLimits`.
package struct ServerSettings: Sendable {
    /// The service name that clients call, for example `postern.gateway`.
    package let service: String
    /// Address to listen on.
    package let host: String
    /// Port to listen on; with 0 the system chooses one.
    package let port: Int
    /// Largest accepted frame, in bytes.
    package let frameBytesMax: Int
    /// Number of handlers that may run at once on one connection.
    package let callsMax: Int
    /// Items of one stream that a client may send before they are consumed.
    package let streamCredit: UInt32
    /// The server's admission limits.
    package let limits: ServerLimits
    /// Whether the operator allows listening beyond loopback without TLS.
    package let isPlaintextTrusted: Bool
    /// Program and version, sent to peers.
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
