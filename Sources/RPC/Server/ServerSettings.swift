package import ServiceRuntime

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
    /// The origins of the web service of this installation: the audiences of application tokens.
    /// Without one no token is accepted.
    package let tokenAudiences: Set<String>
    /// The languages in which errors address people formally. Of the programs only the gateway has
    /// this setting: its callers are people's.
    package let formalLanguages: FormalLanguages
    /// Program and version, sent to peers.
    package let agent: String

    /// Settings of a server; the defaults suit one service on one machine.
    package init(
        service: String, host: String, port: Int,
        frameBytesMax: Int = FrameLimits.frameBytesDefault, callsMax: Int = FrameLimits.callsMax,
        streamCredit: UInt32 = FrameLimits.streamCredit, limits: ServerLimits = ServerLimits(),
        isPlaintextTrusted: Bool = false, tokenAudiences: Set<String> = [],
        formalLanguages: FormalLanguages = .none,
        agent: String = "postern/\(ProductVersion.text)"
    ) {
        self.service = service
        self.host = host
        self.port = port
        self.frameBytesMax = frameBytesMax
        self.callsMax = callsMax
        self.streamCredit = streamCredit
        self.limits = limits
        self.isPlaintextTrusted = isPlaintextTrusted
        self.tokenAudiences = tokenAudiences
        self.formalLanguages = formalLanguages
        self.agent = agent
    }
}

/// The admission limits of a server. Above each limit a caller is rejected with a retry delay,
/// which costs almost nothing. Serving it late instead would delay every caller.
package struct ServerLimits: Sendable, Hashable {
    /// Handlers of ordinary methods running at once; each uses some 10 KiB.
    package var runningMax = 2_000
    /// Handlers of costly methods running at once: they wait for something scarcer than memory.
    package var costlyRunningMax = 256
    /// Open watches; each costs 3.5 KiB, or 5 KiB as a follower of revocations (`docker/bench.sh
    /// crowds`).
    package var watchingMax = 20_000
    /// Handlers of the admin lane running at once: enough for a few operators and probes.
    package var adminRunningMax = 64
    /// Calls that wait in each lane for a handler to finish.
    package var queueMax = 1_000
    /// Bytes of waiting requests in each lane, since a single request may have 1 MiB.
    package var queueBytesMax = 8 * 1024 * 1024
    /// Connections at once; each uses some 16 KiB without TLS and 64 KiB with it.
    package var connectionsMax = 10_000
    /// Connections at once from one IPv4 address, or from one IPv6 /64. A caller opens one for each
    /// of its event loops, so this suffices for hundreds of processes behind one address.
    package var connectionsPerAddressMax = 1_000
    /// The same for loopback addresses, which all programs of one machine share.
    package var connectionsPerLoopbackMax = Int.max
    /// Connections without a Hello; above this limit the oldest of them is closed.
    package var ungreetedMax = 512
    /// Age at which a connection is drained, so that callers distribute themselves over all
    /// instances again and authenticate again; nil: never. For each connection it varies by up to a
    /// tenth.
    package var connectionAgeMax: Duration?
    /// Time without a call after which a connection is drained; nil: never.
    package var connectionIdleMax: Duration?
    /// The applications whose calls use the admin lane.
    package var adminApplications = CallContext.operators

    /// The defaults, which suit one service on one machine.
    package init() {}

    /// The limit of handlers of `lane` running at once.
    func runningMax(of lane: MethodLane) -> Int {
        switch lane {
        case .ordinary: runningMax
        case .costly: min(costlyRunningMax, runningMax)
        case .watching: watchingMax
        case .admin: adminRunningMax
        }
    }

    /// The limit of waiting calls of `lane`. Watches do not end, so no call waits for one.
    func queueMax(of lane: MethodLane) -> Int {
        lane == .watching ? 0 : queueMax
    }
}
