package import Logging
import NIOCore
package import NIOPosix
package import ServiceRuntime
import Synchronization

/// A listening server: takes connections on one address and serves the methods it was given.
package final class RPCServer: Sendable {
    private let shared: ServerShared
    private let listener: any Channel

    /// The port in force.
    package let port: Int

    private init(_ shared: ServerShared, _ listener: any Channel) {
        self.shared = shared
        self.listener = listener
        port = listener.localAddress?.port ?? 0
    }

    /// Listens as `settings` say.
    /// - Throws: `ListenError` when the address is not loopback and there is neither TLS nor trust
    ///   in the network, or the port is taken.
    package static func start(
        _ settings: ServerSettings, services: [ServiceMethods], applications: Applications,
        tls: ServerTLS? = nil, group: MultiThreadedEventLoopGroup, time: any Time,
        randomness: any Randomness, logger: Logger,
        observation: ServerObservation = ServerObservation()
    ) async throws -> RPCServer {
        let address = try SocketAddress.makeAddressResolvingHost(settings.host, port: settings.port)
        guard address.isLoopback || tls != nil || settings.isPlaintextTrusted else {
            throw ListenError.plaintextBeyondLoopback(settings.host)
        }
        let shared = ServerShared(
            settings: settings, methods: MethodTable(services), applications: applications,
            tls: tls, time: time, randomness: randomness, logger: logger, observation: observation)
        let resources = PerLoop(group) { LoopResources($0) }
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.tcpOption(.userTimeout), value: TCPUserTimeout.milliseconds)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: ReceiveBufferAllocator())
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(
                    low: FrameLimits.outboundPauseBytes / 2,
                    high: FrameLimits.outboundPauseBytes)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = ServerConnection(shared, resources[channel.eventLoop])
                    try shared.tls?.value.guardChannel(
                        channel, before: connection, time: shared.time)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .listen(on: address)
        return RPCServer(shared, listener)
    }

    /// Handlers that have not returned.
    package var runningCount: Int { shared.admission.runningCount }

    /// Calls that wait for a handler to end.
    package var waitingCount: Int { shared.admission.waitingCount }

    /// Puts other certificates into force, for the connections that come from now on. A server that
    /// was started without TLS stays so.
    package func use(_ tls: ServerTLS) {
        shared.tls?.replace(tls)
    }

    /// Puts another list of callers into force, for the connections that stand too: whoever is not
    /// on it is told UNAUTHENTICATED, and who used a key that is gone is asked to come again.
    package func use(_ applications: Applications) {
        shared.callers.replace(applications)
        for channel in shared.connections.withLock({ Array($0.values) }) {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(CallersChanged())
            }
        }
    }

    /// Takes no new connections and no new calls, lets the running ones finish, and returns when
    /// all connections are gone or `FrameLimits.drainGrace` is over.
    package func drain() async {
        shared.isDraining.store(true, ordering: .releasing)
        try? await listener.close().get()  // a listener that is closed already is what we want
        let channels = shared.connections.withLock { Array($0.values) }
        for channel in channels {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(DrainEvent())
            }
        }
        for channel in channels {
            try? await channel.closeFuture.get()  // only tells that the connection is gone
        }
    }
}

extension SocketAddress {
    var isLoopback: Bool {
        switch self {
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress == "::1"
        case .unixDomainSocket: true
        }
    }
}
