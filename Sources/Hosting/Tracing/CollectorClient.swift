import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceRuntime

/// Sends one document to the collector: one connection, one POST, one response.
///
/// Not by `Outbound`, which is libcurl: the gateway, the web service, session and the rate limiter
/// have no other use for it and for the libraries that it loads. NIO's HTTP is in all programs, for
/// the port of the metrics.
struct CollectorClient: Sendable {
    /// The timeout while the program runs.
    static let timeout = TimeAmount.seconds(5)
    /// The timeout when the program stops, which takes at most ten seconds whatever the collector
    /// does.
    static let lastTimeout = TimeAmount.milliseconds(500)

    let address: CollectorAddress
    let group: MultiThreadedEventLoopGroup

    /// Sends a document. Waits up to `timeout` for the connection, and again for the response.
    /// - Returns: The status code of the response.
    /// - Throws: `Failure`, or NIO's error when the connection fails.
    func post(_ document: [UInt8], timeout: TimeAmount) async throws -> Int {
        let answer = group.next().makePromise(of: Int.self)
        let address = address
        do {
            let channel = try await ClientBootstrap(group: group)
                .connectTimeout(timeout)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(
                            Exchange(document, address, answer: answer))
                    }
                }
                .connect(host: address.host, port: address.port).get()
            let timer = channel.eventLoop.scheduleTask(in: timeout) {
                answer.fail(Failure.noAnswer)
            }
            defer {
                timer.cancel()
                channel.close(promise: nil)
            }
            return try await answer.futureResult.get()
        } catch {
            answer.fail(error)  // every promise must be completed; a second time has no effect
            throw error
        }
    }
}

extension CollectorClient {
    /// Why there is no response from the collector.
    enum Failure: Error {
        case noAnswer
        case closed
        /// The collector responded, but rejected the spans.
        case refused(status: Int)
    }

    /// One POST and the head of its response. The body is not read.
    private final class Exchange: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundOut = HTTPClientRequestPart

        private let document: [UInt8]
        private let address: CollectorAddress
        private let answer: EventLoopPromise<Int>

        init(_ document: [UInt8], _ address: CollectorAddress, answer: EventLoopPromise<Int>) {
            self.document = document
            self.address = address
            self.answer = answer
        }

        func channelActive(context: ChannelHandlerContext) {
            let headers: HTTPHeaders = [
                "host": "\(address.host):\(address.port)", "content-type": "application/json",
                "content-length": "\(document.count)", "connection": "close",
            ]
            let head = HTTPRequestHead(
                version: .http1_1, method: .POST, uri: address.path, headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let body = ByteBuffer(bytes: document)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            answer.succeed(Int(head.status.code))
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            answer.fail(Failure.closed)
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            answer.fail(error)
            context.close(promise: nil)
        }
    }
}

/// The address of a collector of OTLP over HTTP: `http://host:port`, with a path where it is not
/// the default one. Only plain HTTP: the collector runs near the programs and forwards spans to
/// other networks with TLS.
package struct CollectorAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or a numeric address.
    package let host: String
    /// The port. OTLP's default is 4318.
    package let port: Int
    /// The path. The default is `/v1/traces`.
    package let path: String

    /// Parses the setting. Nil for an invalid text.
    package init?(_ text: String) {
        guard text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        guard !authority.isEmpty, !authority.contains("@"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        let isPortless =
            authority.hasSuffix("]") || !authority.contains(":")
        let full = isPortless ? "\(authority):4318" : String(authority)
        guard let address = ServiceAddress(full), address.port > 0 else { return nil }
        (host, port) = (address.host, address.port)
        self.path = path.isEmpty || path == "/" ? "/v1/traces" : String(path)
    }

    /// The same text that the parser reads.
    package var description: String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }
}
