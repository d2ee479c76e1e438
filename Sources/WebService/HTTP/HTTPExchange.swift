package import HTTPTypes
package import NIOCore

/// One HTTP request and its response, in one form for HTTP/1.1 and HTTP/2. It is used by the one
/// task that answers the request. When the client gives up or the connection ends, that task is
/// cancelled.
package final class HTTPExchange: Sendable {
    /// The request's method, scheme, authority, path and fields.
    package let head: HTTPRequest
    /// The path of the request's target, without its query.
    package let path: Substring
    /// What follows the `?` of the target; nil without one.
    package let query: Substring?
    /// Who sent the request, and how.
    package let client: HTTPClientInfo
    /// Which clients of this loop have a call with streams.
    let streams: StreamPlaces

    private let loop: any EventLoop
    private let running: NIOLoopBound<RunningExchange>

    init(
        _ head: HTTPRequest, _ client: HTTPClientInfo, _ running: RunningExchange,
        _ loop: any EventLoop, streams: StreamPlaces
    ) {
        self.head = head
        let target = head.path ?? ""
        let bytes = target.utf8.span
        let mark = bytes.indices.first { bytes[$0] == UInt8(ascii: "?") }
            .map { target.utf8.index(target.startIndex, offsetBy: $0) }
        path = target[..<(mark ?? target.endIndex)]
        query = mark.map { target[target.utf8.index(after: $0)...] }
        self.client = client
        self.streams = streams
        self.running = NIOLoopBound(running, eventLoop: loop)
        self.loop = loop
    }

    /// Runs `body` on the connection's loop: at once if already there, as the task of a request is.
    private func onLoop(_ body: @escaping @Sendable (RunningExchange) -> Void) {
        if loop.inEventLoop {
            body(running.value)
        } else {
            loop.execute { [running] in body(running.value) }
        }
    }

    // MARK: The request

    /// Refuses any method that does not read.
    /// - Throws: `HTTPFailure` 405.
    func requireReading() throws(HTTPFailure) {
        guard [.get, .head].contains(head.method) else { throw HTTPFailure(allowing: "GET, HEAD") }
    }

    /// The whole body of the request.
    /// - Parameter counting: Is called with the number of bytes of each part.
    /// - Throws: What `counting` throws; `HTTPFailure` 413 when it is larger than `bytesMax`, 408 when it does not arrive
    ///   in time, 400 when it is malformed; `CancellationError`.
    package func body(
        bytesMax: Int, counting: (Int) throws -> Void = { _ in }
    ) async throws -> ByteBuffer {
        func tooLarge() -> HTTPFailure {
            HTTPFailure(.contentTooLarge, "the body has more than \(bytesMax) bytes")
        }
        let length = head.headerFields.value(of: .contentLength).flatMap { Int($0) }
        if let length, length > bytesMax { throw tooLarge() }
        limitBodyTime()
        var whole = ByteBuffer()
        do {
            while let part = try await nextBodyPart() {
                whole.append(moving: part)
                guard whole.readableBytes <= bytesMax else { throw tooLarge() }
                try counting(part.readableBytes)
            }
        } catch {
            whole.wipe()
            throw error
        }
        return whole
    }

    /// From now on the whole body must arrive within `WebLimits.bodyTimeout`; `nextBodyPart` throws
    /// `HTTPFailure` 408 otherwise.
    package func limitBodyTime() { onLoop { $0.limitBodyTime() } }

    /// The next part of the body, as it arrives; nil at its end. No more is read from the
    /// connection than is taken.
    /// - Throws: `HTTPFailure` 400 when the body is malformed; `CancellationError`.
    package func nextBodyPart() async throws -> ByteBuffer? {
        if loop.inEventLoop {
            switch try running.value.take() {
            case .part(let part): return part
            case .end: return nil
            case .nothingYet: break
            }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                onLoop { $0.take(waiter) }
                // It may have been cancelled before it waited.
                if Task.isCancelled { onLoop { $0.cancelTake() } }
            }
        } onCancel: {
            onLoop { $0.cancelTake() }
        }
    }

    // MARK: The response

    /// The whole response must be taken before `deadline` of the gateway's call, on the uptime
    /// clock; otherwise the stream ends, and the task is cancelled.
    package func limitResponseTime(until deadline: Duration) {
        onLoop { $0.limitResponseTime(until: deadline) }
    }

    /// Sends the whole response. A response that was begun is not changed.
    package func respond(
        _ head: HTTPResponse, _ body: ByteBuffer = ByteBuffer(), trailers: HTTPFields? = nil
    ) {
        onLoop { $0.respond(head, body, trailers) }
    }

    /// Sends a document; to a client that has this version already, 304 without it.
    /// - Parameter fields: What both responses have beside the tag.
    func respond(
        _ document: ByteBuffer, _ mediaType: String, tag: EntityTag, _ fields: HTTPFields
    ) {
        var response = HTTPResponse(status: .ok, headerFields: fields)
        response.headerFields[.eTag] = tag.text
        guard !tag.isIn(head.headerFields[.ifNoneMatch]) else {
            response.status = .notModified
            return respond(response)
        }
        response.headerFields[.contentType] = mediaType
        respond(response, document)
    }

    /// Sends the head of a response whose body follows.
    package func begin(_ head: HTTPResponse) {
        onLoop { $0.begin(head) }
    }

    /// Sends a part of the body, and waits while the client does not read.
    /// - Throws: `CancellationError` when the client is gone.
    package func write(_ part: ByteBuffer) async throws {
        if loop.inEventLoop {
            if try running.value.write(part) { return }
        } else {
            let running = running
            if try await loop.submit({ try running.value.write(part) }).get() { return }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                onLoop { $0.waitForWritability(waiter) }
                if Task.isCancelled { onLoop { $0.cancelWrite() } }
            }
        } onCancel: {
            onLoop { $0.cancelWrite() }
        }
    }

    /// Ends the response.
    package func end(_ trailers: HTTPFields? = nil) {
        onLoop { $0.end(trailers) }
    }

    /// Ends the request, so that another one has its place.
    func endForAnother() { onLoop { $0.endForAnother() } }

    /// The task that answers has returned, with the error that it threw.
    func returned(_ error: (any Error)?) {
        onLoop { $0.returned(error) }
    }
}

/// A request that cannot be answered, as HTTP says it.
package struct HTTPFailure: Error, Hashable, Sendable {
    /// The status.
    package let status: HTTPResponse.Status
    /// The reason in English, for a developer.
    package let reason: String
    /// The field `allow`, which RFC 9110 (15.5.6) requires with 405.
    let allow: String?

    /// A failure.
    package init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
        allow = nil
    }

    /// 405: the target has no such method.
    /// - Parameter methods: Those that it has, for example `GET, HEAD`.
    package init(allowing methods: String) {
        status = .methodNotAllowed
        reason = "only \(methods) can be used here"
        allow = methods
    }
}
