import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import WebService

/// A client that sends bytes as they are, over TCP or TLS.
struct RawClient: Sendable {
    let channel: any Channel
    private let received: Received<ByteBuffer>

    /// TLS of a client.
    struct TLS: Sendable {
        let context: NIOSSLContext

        /// Trusts `authority` and offers `protocols` (ALPN).
        init(_ authority: TestAuthority, _ protocols: [String]) throws {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(authority.pem.utf8)))
            configuration.applicationProtocols = protocols
            context = try NIOSSLContext(configuration: configuration)
        }
    }

    static func connect(
        _ server: WebServer, tls: TLS? = nil, isReading: Bool = true
    ) async throws -> RawClient {
        let received = Received<ByteBuffer>()
        let channel = try await ClientBootstrap(group: server.group)
            .channelOption(.autoRead, value: isReading)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(
                            NIOSSLClientHandler(context: tls.context, serverHostname: "localhost"))
                    }
                    try pipeline.addHandler(ReceivedHandler<ByteBuffer>(received))
                }
            }
            .connect(host: "127.0.0.1", port: server.listener.port).get()
        return RawClient(channel: channel, received: received)
    }

    /// Sends bytes. An error shows when the test reads.
    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// What has arrived.
    var text: String { Self.text(received.parts) }

    /// Waits for what `isEnough` describes.
    @discardableResult
    func text(_ isEnough: (String) -> Bool) async throws -> String {
        Self.text(try await received.wait { parts, _ in isEnough(Self.text(parts)) })
    }

    /// Everything that arrives until the server closes.
    @discardableResult
    func closed() async throws -> String { Self.text(try await received.closed()) }

    func close() { channel.close(promise: nil) }

    private static func text(_ parts: [ByteBuffer]) -> String {
        parts.map { String(buffer: $0) }.joined()
    }
}
