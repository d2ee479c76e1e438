import HTTPTypes
import NIOCore

/// One stream of an HTTP/2 connection: a request as its fields and its body arrive, and the part of
/// the response that the client has not yet taken.
final class HTTP2Stream: HTTPStream {
    let id: Int32
    let connection: WebConnection
    private let http2: HTTP2Connection
    private let loop: any EventLoop
    private var exchange: RunningExchange?
    /// Whether the head of the request has arrived.
    private(set) var hasRequest = false

    // The request.
    private var pseudoFields: (method: String?, scheme: String?, authority: String?, path: String?)
    private var fields = HTTPFields()
    private var fieldBytes = 0
    private var fieldCount = 0
    private var isRequestEnded = false
    /// Bytes of the body for which the client has no new window yet.
    private var untakenBytes = 0

    // The response.
    private var head: HTTPResponse?
    private var parts = CircularBuffer<ByteBuffer>(initialCapacity: 2)
    private var waitingBytes = 0
    private(set) var trailers: HTTPFields?
    private var isResponseEnded = false
    private var isBodyAwaited = false
    private var isAborted = false
    /// Since when the client has taken less than `WebLimits.writeBytesMin`, and how much.
    private var slowSince: Duration?
    private var takenBytes = 0

    init(_ id: Int32, on http2: HTTP2Connection, _ loop: any EventLoop) {
        self.id = id
        self.http2 = http2
        self.loop = loop
        connection = http2.connection
    }

    // MARK: The request

    /// A field of the request; nghttp2 has checked its characters and the order of the fields.
    /// Trailers are dropped: no protocol here has them in requests. They count, though: a byte of
    /// theirs can refer to kilobytes of a field before.
    /// - Returns: whether the request is within its limits.
    func add(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isTrailer: Bool
    ) -> Bool {
        let limits = connection.shared.limits
        // The size of a field as RFC 9113 (6.5.2) counts it.
        fieldBytes += name.count + value.count + 32
        fieldCount += 1
        guard fieldBytes <= limits.headerBytesMax, fieldCount <= limits.headerFieldsMax else {
            return false
        }
        guard !isTrailer else { return true }
        let isPseudo = name.first == UInt8(ascii: ":")
        let (name, value) = (
            String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)
        )
        guard isPseudo else {
            guard let name = HTTPField.Name(parsed: name) else { return false }
            fields.append(HTTPField(name: name, value: value))
            return true
        }
        switch name {
        case ":method": pseudoFields.method = value
        case ":scheme": pseudoFields.scheme = value
        case ":authority": pseudoFields.authority = value
        case ":path": pseudoFields.path = value
        default: return false
        }
        return true
    }

    /// The head is complete.
    /// - Returns: false for a method that is no token.
    func headReceived() -> Bool {
        guard let method = pseudoFields.method.flatMap({ HTTPRequest.Method($0) }) else {
            return false
        }
        let head = HTTPRequest(
            method: method, scheme: pseudoFields.scheme, authority: pseudoFields.authority,
            path: pseudoFields.path, headerFields: fields)
        hasRequest = true
        exchange = .begin(head, on: self, loop)
        return true
    }

    /// A part of the body has arrived.
    func received(_ part: ByteBuffer) {
        untakenBytes += part.readableBytes
        exchange?.received(part)
        openWindow()
    }

    /// The request is complete.
    func requestEnded() {
        isRequestEnded = true
        exchange?.receivedEnd()
    }

    /// Starts the task that answers, when nothing more of the request is there.
    func start() { exchange?.start() }

    func resumeReading() {
        openWindow()
        http2.flushSoon()
    }

    /// The body arrives only as fast as it is taken.
    private func openWindow() {
        guard untakenBytes > 0, exchange?.isHoldingBody != true else { return }
        http2.session?.consume(untakenBytes, of: id)
        untakenBytes = 0
    }

    // MARK: The response

    var isWritable: Bool { waitingBytes < connection.shared.limits.streamWindowBytes }

    /// Until the session has closed the stream.
    let isHoldingResponse = true

    func write(_ head: HTTPResponse) {
        if head.status.kind == .informational {
            http2.session?.submitInformational(head, on: id)
        } else {
            self.head = head
        }
    }

    func write(_ body: ByteBuffer) {
        parts.append(body)
        waitingBytes += body.readableBytes
        submit(hasBody: true)
    }

    func flush() {
        submit(hasBody: true)
        http2.flushSoon()
    }

    func writeEnd(_ trailers: HTTPFields?) {
        self.trailers = trailers
        isResponseEnded = true
        submit(hasBody: trailers != nil)
        http2.flushSoon()
    }

    /// Submits the head if that is not done, and otherwise lets `fill` be called again.
    private func submit(hasBody: Bool) {
        if let head {
            self.head = nil
            http2.session?.submit(head, on: id, hasBody: hasBody)
        } else if isBodyAwaited {
            isBodyAwaited = false
            http2.session?.resume(id)
        }
    }

    /// Writes the next bytes of the body.
    /// - Returns: their number, and whether they are the last. With none and more to come, `submit`
    ///   follows.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
        guard !isAborted else { return (0, false) }
        var count = 0
        while count < buffer.count, var part = parts.popFirst() {
            let size = min(part.readableBytes, buffer.count - count)
            part.readWithUnsafeReadableBytes { bytes in
                buffer[count...].copyBytes(from: bytes.prefix(size))
                return size
            }
            count += size
            if part.readableBytes > 0 { parts.prepend(part) }
        }
        waitingBytes -= count
        takenBytes += count
        if isWritable { exchange?.becameWritable() }
        let isEnd = isResponseEnded && parts.isEmpty
        isBodyAwaited = count == 0 && !isEnd
        return (count, isEnd)
    }

    /// The client has the whole response. Of a request that has not ended it need not send the rest
    /// (RFC 9113, 8.1).
    func responseEnded() {
        if !isRequestEnded { http2.session?.reset(id, .noError) }
    }

    func abort() { abort(.internalError) }

    func endForAnother() {
        abort(.enhanceYourCalm)
        // A connection that takes nothing keeps the stream until it ends itself.
        parts.removeAll()
        waitingBytes = 0
    }

    private func abort(_ code: HTTP2ErrorCode) {
        guard !isAborted else { return }
        isAborted = true
        http2.session?.reset(id, code)
        http2.flushSoon()
    }

    /// Ends the stream of a client that takes less than `WebLimits.writeBytesMin` of a response
    /// within `WebLimits.writeTimeout`. With a window the stream waits for its turn only.
    ///
    /// Attack: a client that opens the window by one byte now and then would hold the response for
    /// as long as the connection lives.
    func check(at now: Duration) {
        let limits = connection.shared.limits
        guard !isAborted, waitingBytes > 0, takenBytes < limits.writeBytesMin,
            http2.session?.isWindowClosed(for: id) == true
        else {
            takenBytes = 0
            slowSince = nil
            return
        }
        let since = slowSince ?? now
        slowSince = since
        guard now - since >= limits.writeTimeout else { return }
        connection.loop.figures.refused(.slowReader)
        abort(.cancel)
        closed()
    }

    /// The stream has ended, or the connection.
    func closed() {
        exchange?.streamClosed()
        exchange = nil
    }
}
