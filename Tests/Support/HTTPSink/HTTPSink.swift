import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A small web server on loopback for tests: HTTP/1.1 in clear, or HTTP/2 and 1.1 over TLS.
/// Records its requests, and answers, stalls, drips and resets as its script says.
package final class HTTPSink: Sendable {
    /// One request as it came in.
    package struct Request: Sendable {
        /// "GET", "POST".
        package let method: String
        /// The path with its query.
        package let path: String
        /// The fields, names in lower case.
        package let headers: [String: String]
        /// The content.
        package let body: [UInt8]
        /// 1 or 2.
        package let version: Int

        /// The content as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// What a request gets.
    package enum Answer: Sendable {
        /// An answer.
        case answer(Int, [(String, String)] = [], body: String = "")
        /// Nothing, until the peer leaves.
        case stall
        /// The connection's end by a reset.
        case reset
        /// A head, and then one byte of content every ten milliseconds.
        case drip
        /// A head that announces one byte more than the content, and the connection's end.
        case cut(body: String)
    }

    /// The server's certificate and key, as PEM files.
    package struct TLS: Sendable {
        let chain: String
        let key: String
        let protocols: [String]

        /// TLS that offers `protocols` (ALPN), the best first.
        package init(chain: String, key: String, protocols: [String] = ["h2", "http/1.1"]) {
            self.chain = chain
            self.key = key
            self.protocols = protocols
        }
    }

    private struct State {
        var requests: [Request] = []
        var connections = 0
        var watchers: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
    }

    /// The port that the system picked.
    package let port: Int
    private let listener: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let state: StateBox

    private final class StateBox: Sendable {
        let state = Mutex(State())
    }

    /// Listens on 127.0.0.1; `answer` is called for each request, on the sink's one thread.
    package init(
        tls: TLS? = nil, answer: @escaping @Sendable (Request) -> Answer
    ) async throws {
        let box = StateBox()
        let take: @Sendable (Request) -> Answer = { request in
            Self.record(request, in: box)
            return answer(request)
        }
        let context = try tls.map(Self.context)
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        state = box
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                box.state.withLock { $0.connections += 1 }
                return Self.set(up: channel, context, take)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// The requests so far, in order.
    package var requests: [Request] { state.state.withLock { $0.requests } }

    /// How many connections have been accepted.
    package var connections: Int { state.state.withLock { $0.connections } }

    /// Where it listens, for a path that begins with a slash.
    package func url(_ path: String) -> String {
        "http://127.0.0.1:\(port)\(path)"
    }

    /// The same over TLS.
    package func secureURL(_ path: String) -> String {
        "https://127.0.0.1:\(port)\(path)"
    }

    /// Returns once `count` requests have come in.
    package func reached(requests count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    /// Stops listening and ends every connection.
    package func close() async {
        // What is closed already is what was wanted.
        try? await listener.close()
        try? await group.shutdownGracefully()
    }

    private static func record(_ request: Request, in box: StateBox) {
        let waiters = box.state.withLock { state in
            state.requests.append(request)
            let met = state.watchers.filter { $0.count <= state.requests.count }.map(\.waiter)
            state.watchers.removeAll { $0.count <= state.requests.count }
            return met
        }
        for waiter in waiters { waiter.resume() }
    }

    private static func context(_ tls: TLS) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(tls.chain)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: tls.key, format: .pem)))
        configuration.applicationProtocols = tls.protocols
        return try NIOSSLContext(configuration: configuration)
    }

    private static func set(
        up channel: any Channel, _ context: NIOSSLContext?,
        _ take: @escaping @Sendable (Request) -> Answer
    ) -> EventLoopFuture<Void> {
        let handle: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(SinkHandler(take))
            }
        }
        guard let context else {
            return channel.pipeline.configureHTTPServerPipeline().flatMap { handle(channel) }
        }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }.flatMap {
            channel.configureCommonHTTPServerPipeline { handle($0) }
        }
    }
}
