import NIOCore
import NIOHTTP1
import NIOPosix

/// One connection of HTTP/1.1, or one stream of HTTP/2: gathers a request and gives its answer.
final class SinkHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let take: @Sendable (HTTPSink.Request) -> HTTPSink.Answer
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ take: @escaping @Sendable (HTTPSink.Request) -> HTTPSink.Answer) {
        self.take = take
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let part): body += part.readableBytesView
        case .end: answer(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head else { return }
        let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
        let isStream = context.channel.parent?.parent != nil
        let request = HTTPSink.Request(
            method: head.method.rawValue, path: head.uri,
            headers: Dictionary(fields, uniquingKeysWith: { "\($0), \($1)" }), body: body,
            version: isStream ? 2 : 1)
        switch take(request) {
        case .answer(let status, let headers, let body):
            write(context, status, headers, length: body.utf8.count)
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .stall: break
        case .reset: reset(isStream ? context.channel.parent : context.channel)
        case .drip:
            write(context, 200, [], length: nil)
            drip(NIOLoopBound(context, eventLoop: context.eventLoop))
        case .cut(let body):
            write(context, 200, [], length: body.utf8.count + 1)
            let (written, channel) = (context.eventLoop.makePromise(of: Void.self), context.channel)
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            context.writeAndFlush(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: written)
        }
    }

    private func write(
        _ context: ChannelHandlerContext, _ status: Int, _ headers: [(String, String)], length: Int?
    ) {
        var fields = HTTPHeaders(headers)
        if let length { fields.add(name: "content-length", value: "\(length)") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func drip(_ context: NIOLoopBound<ChannelHandlerContext>) {
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        context.value.eventLoop.scheduleTask(in: .milliseconds(10)) {
            let inside = context.value
            guard inside.channel.isActive else { return }
            let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: ".")))
            inside.writeAndFlush(bound.value.wrapOutboundOut(part), promise: nil)
            bound.value.drip(context)
        }
    }

    /// Closes so that the system sends RST.
    private func reset(_ channel: (any Channel)?) {
        guard let channel, let options = channel as? any SocketOptionProvider else { return }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
