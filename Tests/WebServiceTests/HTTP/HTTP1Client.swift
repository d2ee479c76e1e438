import NIOCore
import NIOPosix

/// A client of HTTP/1.1 that makes a connection for each request.
struct HTTP1Client: Sendable {
    let group: MultiThreadedEventLoopGroup
    let port: Int

    /// Sends a request for `localhost`, and returns the whole response.
    /// - Parameter line: The request line, for example `GET / HTTP/1.1`.
    func send(
        _ line: String, _ body: [UInt8] = [], _ fields: [String: String] = [:]
    ) async throws -> HTTP1Response {
        let lines =
            [line, "host: localhost:\(port)", "connection: close"]
            + fields.map { "\($0.key): \($0.value)" }
        var request = ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n")
        request.writeBytes(body)
        let whole = group.next().makePromise(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(whole))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(request)
        return try HTTP1Response(Array(try await whole.futureResult.get().readableBytesView))
    }

    /// Collects what arrives until the connection closes.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let whole: EventLoopPromise<ByteBuffer>
        private var bytes = ByteBuffer()

        init(_ whole: EventLoopPromise<ByteBuffer>) {
            self.whole = whole
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.writeImmutableBuffer(unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            whole.succeed(bytes)
        }
    }
}

/// A response of HTTP/1.1.
struct HTTP1Response: Sendable {
    /// It is none.
    struct Malformed: Error {}

    let status: Int
    /// By names in lower case.
    let fields: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// A whole response, with a body of known length or in chunks.
    init(_ bytes: [UInt8]) throws {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
        else { throw Malformed() }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw Malformed() }
        self.status = status
        fields = lines.dropFirst().reduce(into: [:]) { fields, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let rest = bytes[(end + 4)...]
        body =
            fields["transfer-encoding"] == "chunked" ? try Self.dechunked(rest) : Array(rest)
    }

    private static func dechunked(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var (rest, body) = (bytes, [UInt8]())
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            guard rest.endIndex - end >= count + 4 else { throw Malformed() }
            body += rest[(end + 2)..<(end + 2 + count)]
            rest = rest[(end + 4 + count)...]
        }
        return body
    }
}
