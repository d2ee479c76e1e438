import Glibc
package import Logging
package import NIOCore
package import NIOPosix
package import ServiceRuntime
import Synchronization

/// A server that listens on one address and serves the given methods.
package final class RPCServer: Sendable {
    private let shared: ServerShared
    private let listener: any Channel

    /// The port on which it listens.
    package let port: Int

    private init(_ shared: ServerShared, _ listener: any Channel) {
        self.shared = shared
        self.listener = listener
        port = listener.localAddress?.port ?? 0
    }

    /// Listens according to `settings`.
    /// - Throws: `ListenError` when the address is not loopback and there is neither TLS nor a
    ///   trusted network, for an unknown host, or when the port is in use.
    package static func start(
        _ settings: ServerSettings, services: [ServiceMethods], applications: Applications,
        tls: ServerTLS? = nil, group: MultiThreadedEventLoopGroup, time: any Time,
        randomness: any Randomness, logger: Logger,
        observation: ServerObservation = ServerObservation()
    ) async throws -> RPCServer {
        let address = try SocketAddress.toListen(
            settings.host, port: settings.port,
            mayBeReached: tls != nil || settings.isPlaintextTrusted)
        let shared = ServerShared(
            settings: settings, methods: MethodTable(services), applications: applications,
            tls: tls, time: time, randomness: randomness, logger: logger, observation: observation)
        let resources = PerLoop(group) { LoopResources($0) }
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.tcpOption(.userTimeout), value: TCPUserTimeout.milliseconds)
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

    /// Number of handlers that have not returned.
    package var runningCount: Int { shared.admission.runningCount }

    /// Number of calls that wait for a handler to finish.
    package var waitingCount: Int { shared.admission.waitingCount }

    /// Uses another certificate for new connections. A server that was started without TLS stays
    /// so.
    package func use(_ tls: ServerTLS) {
        shared.tls?.replace(tls)
    }

    /// Replaces the list of callers, for existing connections too. A caller that is no longer on it
    /// gets UNAUTHENTICATED; one whose key was removed must reconnect.
    package func use(_ applications: Applications) {
        shared.callers.replace(applications)
        for channel in shared.connections.withLock({ Array($0.values) }) {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(
                    ServerConnection.Event.callersChanged)
            }
        }
    }

    /// Accepts no new connections and no new calls, lets running calls finish, and returns when all
    /// connections are closed or `FrameLimits.drainGrace` is over.
    package func drain() async {
        shared.isDraining.store(true, ordering: .releasing)
        try? await listener.close().get()  // the listener may already be closed
        let channels = shared.connections.withLock { Array($0.values) }
        for channel in channels {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(ServerConnection.Event.drain)
            }
        }
        for channel in channels {
            try? await channel.closeFuture.get()  // waits for the close; errors do not matter
        }
    }
}

extension SocketAddress {
    /// The address to listen on.
    /// - Parameter mayBeReached: whether it may be an address beyond loopback.
    /// - Throws: `RPCServer.ListenError`.
    package static func toListen(
        _ host: String, port: Int, mayBeReached: Bool
    ) throws(RPCServer.ListenError) -> SocketAddress {
        guard let address = try? makeAddressResolvingHost(host, port: port) else {
            throw .unknownHost(host)
        }
        guard address.isLoopback || mayBeReached else { throw .plaintextBeyondLoopback(host) }
        return address
    }

    /// Whether it is a loopback address, or a socket in the file system.
    package var isLoopback: Bool {
        switch self {
        case .v4: ipAddress?.hasPrefix("127.") ?? false
        case .v6: ipAddress == "::1"
        case .unixDomainSocket: true
        }
    }
}

extension ServerBootstrap {
    /// Binds to `address`. The error of a failed bind contains the address, which the system's own
    /// error does not.
    /// - Throws: `ListenError.refused`.
    package func listen(on address: SocketAddress) async throws -> any Channel {
        do {
            return try await bind(to: address).get()
        } catch let error as IOError {
            throw RPCServer.ListenError.refused(
                "\(address.ipAddress ?? ""):\(address.port ?? 0)", errno: error.errnoCode)
        }
    }
}

extension RPCServer {
    /// Why a server cannot listen.
    package enum ListenError: Error, CustomStringConvertible {
        /// Without TLS beyond loopback, anyone on the network path could read and change the
        /// traffic.
        case plaintextBeyondLoopback(String)
        /// The name of a host that does not resolve.
        case unknownHost(String)
        /// The system refused to bind; with `errno`.
        case refused(String, errno: Int32)

        /// What to do about an address that others can reach.
        package static let beyondLoopback =
            "use a loopback address, set tls-certificate-file and tls-key-file, or set plaintext "
            + "to trusted-network if nobody else is on that network"

        package var description: String {
            switch self {
            case .plaintextBeyondLoopback(let host):
                "refusing to listen on \(host) without TLS: \(Self.beyondLoopback)"
            case .unknownHost(let host):
                "cannot listen on \(host): it is no address of this machine, and no name of one"
            case .refused(let address, let code):
                "cannot listen on \(address): \(String(cString: strerror(code)))"
            }
        }
    }
}
