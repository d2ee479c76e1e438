package import Addresses
package import Logging
import NIOCore
package import NIOPosix
package import RPC
package import ServiceRuntime
import Synchronization

/// The settings of the web service's listener.
package struct WebListenerSettings: Sendable {
    /// Address to listen on.
    package var host: String
    /// Port to listen on; with 0 the system chooses one.
    package var port: Int
    /// Whether the operator allows listening beyond loopback without TLS.
    package var isPlaintextTrusted: Bool
    /// The origins of the service, such as `https://auth.example.com`: requests for other hosts are
    /// refused. Without any, loopback names with the listener's port are accepted.
    package var origins: [String]
    /// The networks of the proxies in front of the service.
    package var trustedProxies: [AddressNetwork]
    /// Whether a trusted proxy must begin each connection with a header of PROXY protocol.
    package var requiresProxyProtocol: Bool
    /// The limits.
    package var limits: WebLimits

    /// Settings of a listener.
    package init(
        host: String, port: Int, isPlaintextTrusted: Bool = false, origins: [String] = [],
        trustedProxies: [AddressNetwork] = [], requiresProxyProtocol: Bool = false,
        limits: WebLimits = WebLimits()
    ) {
        self.host = host
        self.port = port
        self.isPlaintextTrusted = isPlaintextTrusted
        self.origins = origins
        self.trustedProxies = trustedProxies
        self.requiresProxyProtocol = requiresProxyProtocol
        self.limits = limits
    }
}

/// Answers one request. An `HTTPFailure` that it throws is sent to the client with its reason, any
/// other error as 500 without.
package typealias WebResponder = @Sendable (HTTPExchange) async throws -> Void

/// Listens for HTTP/1.1 and HTTP/2, with TLS or without, and calls a responder for each request.
package final class WebListener: Sendable {
    private let shared: WebShared
    private let loops: PerLoop<WebLoop>
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel

    /// The port on which it listens.
    package let port: Int

    private init(
        _ shared: WebShared, _ loops: PerLoop<WebLoop>, _ group: MultiThreadedEventLoopGroup,
        _ listener: any Channel
    ) {
        self.shared = shared
        self.loops = loops
        self.group = group
        self.listener = listener
        port = listener.localAddress?.port ?? 0
    }

    /// Listens according to `settings`.
    /// - Throws: `RPCServer.ListenError` when the address is not loopback and there is neither TLS
    ///   nor a trusted network, for an unknown host, or when the port is in use.
    package static func start(
        _ settings: WebListenerSettings, tls: ServerTLS? = nil,
        group: MultiThreadedEventLoopGroup, time: any Time, randomness: any Randomness,
        logger: Logger, observation: WebObservation = WebObservation(),
        responder: @escaping WebResponder
    ) async throws -> WebListener {
        let address = try SocketAddress.toListen(
            settings.host, port: settings.port,
            mayBeReached: tls != nil || settings.isPlaintextTrusted)
        let shared = WebShared(
            settings, tls: tls, time: time, randomness: randomness, logger: logger,
            observation: observation, responder: responder)
        let loopCount = Array(group.makeIterator()).count
        let loops = PerLoop(group) { WebLoop($0, shared, loopCount: loopCount) }
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.tcpOption(.userTimeout), value: TCPUserTimeout.milliseconds)
            .childChannelOption(.recvAllocator, value: ReceiveBufferAllocator())
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try shared.addHandlers(to: channel, loops[channel.eventLoop])
                }
            }
            .listen(on: address)
        return WebListener(shared, loops, group, listener)
    }

    /// Uses another certificate for new connections. A listener that was started without TLS stays
    /// so.
    package func use(_ tls: ServerTLS) { shared.tls?.replace(tls) }

    /// Accepts no new connections and requests, lets running requests finish, and returns when all
    /// connections are closed or `WebLimits.drainTimeout` is over.
    package func drain() async {
        shared.isDraining.store(true, ordering: .releasing)
        try? await listener.close().get()  // the listener may already be closed
        var closed: [EventLoopFuture<Void>] = []
        for loop in group.makeIterator() {
            // `try?`: a loop that is shut down has no connections.
            closed += (try? await loop.submit { [loops] in loops[loop].drain() }.get()) ?? []
        }
        for future in closed {
            try? await future.get()  // waits for the close; errors do not matter
        }
    }
}

/// The state that all connections of a listener share.
final class WebShared: Sendable {
    let settings: WebListenerSettings
    let limits: WebLimits
    let tls: Reloadable<ServerTLS>?
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    let observation: WebObservation
    let responder: WebResponder
    /// Whether the listener accepts no more requests.
    let isDraining = Atomic<Bool>(false)

    init(
        _ settings: WebListenerSettings, tls: ServerTLS?, time: any Time,
        randomness: any Randomness, logger: Logger, observation: WebObservation,
        responder: @escaping WebResponder
    ) {
        self.settings = settings
        limits = settings.limits
        self.tls = tls.map { Reloadable($0) }
        self.time = time
        self.randomness = randomness
        self.logger = logger
        self.observation = observation
        self.responder = responder
    }

    /// Whether a trusted proxy has this address.
    func isTrustedProxy(_ address: ClientAddress) -> Bool {
        settings.trustedProxies.contains { $0.contains(address) }
    }

    /// Whom the places of a client count for; nil for a trusted proxy, whose requests are those of
    /// all its clients, and for this machine.
    func network(of address: ClientAddress) -> ClientNetwork? {
        isTrustedProxy(address) ? nil : ClientNetwork(address)
    }

    /// Adds the handlers of a new connection: PROXY protocol, then TLS, then HTTP.
    func addHandlers(to channel: any Channel, _ loop: WebLoop) throws {
        guard let peer = ClientAddress(channel.remoteAddress?.ipAddress ?? "") else {
            throw ChannelError.inappropriateOperationForState  // the client has left already
        }
        let isTrusted = isTrustedProxy(peer)
        loop.listens(on: channel.localAddress?.port ?? settings.port)
        let connection = WebConnection(
            self, loop, peer: peer, isFromTrustedProxy: isTrusted, isTLS: tls != nil)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(connection)
        if isTrusted {
            try pipeline.addHandler(
                ProxyHeaderReader(connection, isRequired: settings.requiresProxyProtocol))
        }
        try tls?.value.addHandler(to: channel)
        try pipeline.addHandler(ProtocolSelector(connection))
    }
}
