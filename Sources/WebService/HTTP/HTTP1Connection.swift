import HTTPTypes
import NIOCore
import NIOHTTP1

/// An HTTP/1.1 connection (RFC 9112): requests are answered one after the other in their order,
/// and a request that cannot be read ends the connection. It passes what NIO's parser reads to the
/// `RunningExchange` of the request, and writes the response.
final class HTTP1Connection: ChannelDuplexHandler, HTTPStream {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = IOData

    let connection: WebConnection
    private var channelContext: ChannelHandlerContext?
    private var exchange: RunningExchange?
    /// A request was passed on, and its response has not ended.
    private var isResponding = false
    /// The end of that request has not arrived.
    private var isRequestOpen = false
    /// While that is a chunked body: the connection's bytes before it, and its content so far.
    private var chunked: (start: Int, content: Int)?
    private var isHeadRequest = false
    private var isOldVersion = false
    /// Parts of the requests after it (pipelining).
    private var waiting = CircularBuffer<HTTPServerRequestPart>()
    private var waitingHeads = 0
    /// Why the bytes after `waiting` cannot be read.
    private var failure: HTTPFailure?
    private var isReadHeld = false
    private var isAdvancing = false
    /// No request is answered after this one.
    private var isLast = false
    private var response = HTTP1ResponseWriter()

    private init(_ connection: WebConnection) {
        self.connection = connection
    }

    /// Adds the handlers of HTTP/1.1.
    /// - Throws: a pipeline error when the channel is closing.
    static func addHandlers(to channel: any Channel, _ connection: WebConnection) throws {
        let limits = connection.shared.limits
        var bounds = NIOHTTPDecoderLimitConfiguration()
        bounds.maxHeaderFieldSize = limits.headerBytesMax
        bounds.maxHeaderListSize = limits.headerBytesMax
        bounds.maxHeaderFieldCount = limits.headerFieldsMax
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)
        try channel.pipeline.syncOperations.addHandlers([
            RequestLineReader(connection), ByteToMessageHandler(decoder),
            HTTP1Connection(connection),
        ])
    }

    func handlerAdded(context: ChannelHandlerContext) { channelContext = context }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        channelContext = nil
        dropWaiting()
        exchange?.streamClosed()
        exchange = nil
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            connection.requestLines.begin(
                contentBytes: head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0,
                isChunked: head.headers.contains(name: "transfer-encoding"))
        // The memory that this is a part of is not wiped as a whole.
        case .body(let body): part = .body(body.moved())
        case .end: connection.requestLines.end()
        }
        guard !connection.isClosing, failure == nil else { return drop(part) }
        guard !mayPass(context) || !waiting.isEmpty else { return pass(part, context) }
        waiting.append(part)
        guard case .head = part else { return }
        waitingHeads += 1
        guard waitingHeads <= connection.shared.limits.pipelinedMax else {
            connection.loop.figures.refused(.pipelining)
            return context.close(promise: nil)
        }
    }

    private func drop(_ part: HTTPServerRequestPart) {
        if case .body(let body) = part { body.wipe() }
    }

    private func dropWaiting() {
        for part in waiting { drop(part) }
        waiting.removeAll()
    }

    /// Whether the next part may be passed on: the rest of the current request, or a request after
    /// a response that the client takes. Otherwise one read of small requests for documents, which
    /// are answered at once, could leave their hundredfold in memory for a client that does not
    /// read.
    private func mayPass(_ context: ChannelHandlerContext) -> Bool {
        isResponding ? isRequestOpen : context.channel.isWritable
    }

    private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            isHeadRequest = head.method == .HEAD
            isOldVersion = head.version != .http1_1
            // The parser reads nothing after CONNECT or `upgrade`, which we do not do.
            isLast =
                isLast || isOldVersion || head.headers.contains(name: "upgrade")
                || head.method == .CONNECT
                || !head.isKeepAlive
            do {
                let request = try RequestHeadRule.request(
                    head, isTLS: connection.client.isTLS)
                isResponding = true
                isRequestOpen = true
                if request.headerFields.contains(.transferEncoding) {
                    chunked = (connection.receivedBytes, 0)
                }
                exchange = .begin(request, on: self, context.eventLoop)
            } catch {
                reject(error, context)
            }
        case .body(let body):
            chunked?.content += body.readableBytes
            exchange?.received(body)
        case .end:
            isRequestOpen = false
            chunked = nil
            // Trailers are dropped: no protocol here has them in requests.
            exchange?.receivedEnd()
            exchange?.start()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        limitChunks(context)
        exchange?.start()
        context.fireChannelReadComplete()
    }

    /// Ends a chunked body that has too many bytes beside its content, which the parser skips.
    private func limitChunks(_ context: ChannelHandlerContext) {
        guard let (start, content) = chunked, failure == nil, !connection.isClosing else {
            return
        }
        let limits = connection.shared.limits
        // No connection lives for as many bytes as overflow here.
        let bytesMax = limits.chunkOverheadBytesMax &+ content &* (limits.chunkOverheadFactor &+ 1)
        guard connection.receivedBytes &- start > bytesMax else { return }
        let failure = HTTPFailure(.badRequest, "the chunks have too many bytes beside the body")
        self.failure = failure
        connection.isInputDropped = true
        connection.loop.figures.refused(.malformed)
        fail(failure, context)
    }

    /// Passes on the requests that wait, one after the other, and reads again when none is left.
    private func advance(_ context: ChannelHandlerContext) {
        guard !isAdvancing else { return }
        isAdvancing = true
        while !connection.isClosing, mayPass(context), let part = waiting.popFirst() {
            if case .head = part { waitingHeads -= 1 }
            pass(part, context)
            if waiting.isEmpty { exchange?.start() }
        }
        isAdvancing = false
        if let failure, waiting.isEmpty { fail(failure, context) }
        releaseRead(context)
    }

    /// A client whose body is not taken, whose requests wait, or that does not read its responses,
    /// is not read: it would fill our memory with each.
    func read(context: ChannelHandlerContext) {
        isReadHeld = true
        releaseRead(context)
    }

    func resumeReading() {
        if let channelContext { releaseRead(channelContext) }
    }

    private func releaseRead(_ context: ChannelHandlerContext) {
        guard isReadHeld, connection.isClosing || mayRead(context) else { return }
        isReadHeld = false
        context.read()
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        exchange?.isHoldingBody != true && waiting.isEmpty && context.channel.isWritable
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            // The next request replaces the one whose response was taken.
            exchange?.becameWritable()
            advance(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Bytes after the parser's error are dropped.
        guard !(error is ByteToMessageDecoderError) else { return }
        guard error is HTTPParserError || error is RequestLines.Malformed else {
            return context.close(promise: nil)
        }
        guard failure == nil, !connection.isClosing else { return }
        let failure = Self.failure(error as? HTTPParserError)
        self.failure = failure
        connection.isInputDropped = true
        connection.loop.figures.refused(.malformed)
        if waiting.isEmpty { fail(failure, context) }
    }

    /// What follows the last request that was passed on cannot be read: the rest of its body, or
    /// the next request. The response to a complete request comes first.
    private func fail(_ failure: HTTPFailure, _ context: ChannelHandlerContext) {
        if isResponding, isRequestOpen {
            isLast = true
            exchange?.failBody(failure)
        } else if !isResponding {
            isHeadRequest = false
            reject(failure, context)
        }
    }

    private static func failure(_ error: HTTPParserError?) -> HTTPFailure {
        switch error {
        case .headerOverflow:
            HTTPFailure(.requestHeaderFieldsTooLarge, "the request's fields are too large")
        case .invalidMethod: HTTPFailure(.notImplemented, "unknown method")
        case .invalidVersion: HTTPFailure(.httpVersionNotSupported, "unknown version of HTTP")
        default: HTTPFailure(.badRequest, "the request is malformed")
        }
    }

    /// Answers a request that cannot be passed on. What follows it cannot be read either.
    private func reject(_ failure: HTTPFailure, _ context: ChannelHandlerContext) {
        guard !connection.isClosing else { return }
        let text = ByteBuffer(string: failure.reason + "\n")
        var head = HTTPResponse(status: failure.status)
        head.headerFields[.contentType] = "text/plain; charset=utf-8"
        head.headerFields[.contentLength] = String(text.readableBytes)
        head.headerFields[.date] = connection.loop.date
        head.headerFields[.xContentTypeOptions] = "nosniff"
        response.begin(head, isLast: true, isHeadRequest: isHeadRequest, isOldVersion: false)
        response.write(text)
        response.end(nil)
        connection.loop.figures.responded(failure.status)
        isLast = true
        finish(context)
    }

    /// The server stops, or the connection is too old.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isLast = true
        guard !isResponding, !connection.isClosing else { return }
        closeOutput(context)
    }

    // MARK: Responses

    var isWritable: Bool { channelContext?.channel.isWritable ?? false }

    /// The next request is answered only when the client takes what was written, so a connection
    /// holds one response at most.
    var isHoldingResponse: Bool { channelContext?.channel.isWritable == false }

    func write(_ head: HTTPResponse) {
        // A body that has not arrived may never be read.
        if head.status.code >= 200 { isLast = isLast || isRequestOpen }
        response.begin(
            head, isLast: isLast, isHeadRequest: isHeadRequest, isOldVersion: isOldVersion)
    }

    func write(_ body: ByteBuffer) { response.write(body) }

    func flush() {
        guard let channelContext else { return }
        if let bytes = response.take() {
            channelContext.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
        }
        channelContext.flush()
    }

    func writeEnd(_ trailers: HTTPFields?) {
        response.end(trailers)
        isResponding = false
        if let channelContext { finish(channelContext) }
    }

    func abort() { channelContext?.close(promise: nil) }

    func endForAnother() { abort() }

    /// Sends the end of a response; then comes the next request or the end of the connection.
    private func finish(_ context: ChannelHandlerContext) {
        guard isLast else {
            flush()
            return advance(context)
        }
        closeOutput(context)
    }

    private func closeOutput(_ context: ChannelHandlerContext) {
        dropWaiting()
        connection.closeOutput(after: response.take() ?? ByteBuffer(), context)
    }
}
