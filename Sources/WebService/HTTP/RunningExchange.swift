import HTTPTypes
import NIOCore
import ServiceRuntime

/// The state of one request and its response, on the connection's event loop: the parts of the body
/// that are not yet taken, how far the response is, and the task that answers.
final class RunningExchange {
    /// What the body has at the moment.
    enum Taken {
        case part(ByteBuffer)
        case end
        case nothingYet
    }

    var head: HTTPRequest
    /// Nil when the stream has ended.
    var stream: (any HTTPStream)?
    let connection: WebConnection
    let loop: any EventLoop
    private let began: Duration
    var task: Task<Void, Never>?
    private var isStarted = false
    var hasReturned = false
    /// Whether it counts as one of the connection's running requests.
    private var isCounted = false
    /// Its place among the requests of all clients; nil before it starts, and when it was ended.
    var place: ClientPlaces<RunningExchange>.ID?
    /// Whether the place counts as that of a request that waits for its client.
    var isWaiting = false
    /// Since when it has waited for the body, or for the client to take the response.
    var waitingSince: Duration?
    /// Why the request is answered without a task.
    private var refusal: HTTPFailure?

    private var parts = CircularBuffer<ByteBuffer>(initialCapacity: 2)
    var isRequestEnded = false
    private var failure: (any Error)?
    var bodyWaiter: CheckedContinuation<ByteBuffer?, any Error>? {
        didSet { waitingChanged() }
    }
    var bodyDeadline: Scheduled<Void>?
    private var isContinueSent = false

    var isResponseBegun = false
    var isResponseEnded = false
    var responseDeadline: Scheduled<Void>?
    var isResponseLate = false
    var writeWaiter: CheckedContinuation<Void, any Error>? {
        didSet { waitingChanged() }
    }

    private init(_ head: HTTPRequest, _ stream: any HTTPStream, _ loop: any EventLoop) {
        self.head = head
        self.stream = stream
        connection = stream.connection
        self.loop = loop
        began = connection.shared.time.uptime()
    }

    /// The exchange of a request whose head has arrived. One that is not valid is refused when it
    /// starts.
    static func begin(
        _ head: HTTPRequest, on stream: any HTTPStream, _ loop: any EventLoop
    ) -> RunningExchange {
        let connection = stream.connection
        connection.requestArrived()
        let exchange = RunningExchange(head, stream, loop)
        do {
            exchange.head = try RequestHeadRule.checked(
                head, hosts: connection.loop.hosts, isTLS: connection.client.isTLS)
        } catch {
            connection.loop.figures.refused(
                error.status == .misdirectedRequest ? .host : .malformed)
            exchange.refusal = error
        }
        return exchange
    }

    // MARK: The task

    /// Starts the task that answers, unless it has started. It runs on this loop.
    func start() {
        guard !isStarted, stream != nil else { return }
        isStarted = true
        guard let place = connection.arrive(self) else { return refuse() }
        self.place = place
        isCounted = true
        if let refusal {
            send(refusal)
            return returned(nil)
        }
        let exchange = HTTPExchange(
            head, connection.client, self, loop, streams: connection.loop.streams)
        let responder = connection.shared.responder
        task = Task.immediate(executorPreference: connection.loop.executor) {
            do {
                try await responder(exchange)
                exchange.returned(nil)
            } catch {
                exchange.returned(error)
            }
        }
    }

    /// The task has returned, with the error that it threw.
    func returned(_ error: (any Error)?) {
        if !isResponseBegun {
            if stream == nil {
                connection.loop.figures.responded(nil)
            } else {
                send(failureFor: error)
            }
        } else if !isResponseEnded {
            isResponseEnded = true
            // A client that goes away is no failure. Attack: one that opens streams and closes them
            // would fill the log.
            if stream != nil { log(error) }
            stream?.abort()
        }
        task = nil
        hasReturned = true
        bodyDeadline?.cancel()
        endIfOver()
        waitingChanged()
    }

    /// The request counts for its client until its task has returned and the response is taken.
    ///
    /// Attack: a client asks for responses and reads none; if only tasks counted, it could fill our
    /// memory with the streams of hundreds of connections.
    private func endIfOver() {
        guard isCounted, hasReturned, stream?.isHoldingResponse != true else { return }
        isCounted = false
        leavePlace()
        connection.requestEnded(began)
    }

    private func send(failureFor error: (any Error)?) {
        switch error {
        case let failure as HTTPFailure: send(failure)
        case is CancellationError:
            send(HTTPFailure(.serviceUnavailable, "the request was cancelled"))
        default:
            log(error)
            send(HTTPFailure(.internalServerError, "internal error"))
        }
    }

    /// Only the type: the text may hold what the client sent.
    private func log(_ error: (any Error)?) {
        let type = error.map { String(describing: Swift.type(of: $0)) } ?? "no response"
        connection.shared.logger.error(
            "web.request.failed", "answering a request failed", fields: [.detail: .text(type)])
    }

    func send(_ failure: HTTPFailure) {
        respond(Self.head(failure), ByteBuffer(string: failure.reason + "\n"), nil)
    }

    static func head(_ failure: HTTPFailure) -> HTTPResponse {
        var head = HTTPResponse(status: failure.status)
        head.headerFields[.contentType] = "text/plain; charset=utf-8"
        head.headerFields[.cacheControl] = "no-store"
        if failure.status == .serviceUnavailable { head.headerFields[.retryAfter] = "1" }
        head.headerFields[.allow] = failure.allow
        return head
    }

    /// The client has given up, or the connection has ended.
    func streamClosed() {
        stream = nil
        dropParts()
        bodyDeadline?.cancel()
        if !isStarted {
            // No task starts any more, but the connection may be idle now.
            isStarted = true
            connection.requestAnswered(at: connection.shared.time.uptime())
        }
        // After the response the task may still have work of its own.
        if !isResponseEnded { task?.cancel() }
        failBody(CancellationError())
        cancelWrite()
        responseDeadline?.cancel()
        endIfOver()
    }

    // MARK: The body

    /// Whether a part of the body has arrived that was not taken.
    var isHoldingBody: Bool { !parts.isEmpty }

    /// A part of the body has arrived.
    func received(_ part: ByteBuffer) {
        guard part.readableBytes > 0, !isResponseEnded, failure == nil else { return part.wipe() }
        if let waiter = bodyWaiter {
            bodyWaiter = nil
            waiter.resume(returning: part)
        } else if let last = parts.indices.last {
            parts.modify(last) { $0.append(moving: part) }
        } else {
            parts.append(part)
        }
    }

    /// No more of the body is taken.
    private func dropParts() {
        for part in parts { part.wipe() }
        parts.removeAll()
    }

    /// The body is complete.
    func receivedEnd() {
        isRequestEnded = true
        waitingSince = nil
        bodyDeadline?.cancel()
        guard failure == nil else { return }
        bodyWaiter?.resume(returning: nil)
        bodyWaiter = nil
    }

    /// The body ends with an error.
    func failBody(_ error: any Error) {
        if failure == nil { failure = error }
        bodyWaiter?.resume(throwing: error)
        bodyWaiter = nil
    }

    /// The next part, if it is there.
    /// - Throws: `HTTPFailure`; `CancellationError` when the stream has ended.
    func take() throws -> Taken {
        if let part = parts.popFirst() {
            if parts.isEmpty { stream?.resumeReading() }
            return .part(part)
        }
        if let failure { throw failure }
        if isRequestEnded { return .end }
        guard stream != nil else { throw CancellationError() }
        return .nothingYet
    }

    /// Resumes `waiter` with the next part.
    func take(_ waiter: CheckedContinuation<ByteBuffer?, any Error>) {
        do {
            switch try take() {
            case .part(let part): waiter.resume(returning: part)
            case .end: waiter.resume(returning: nil)
            case .nothingYet:
                cancelTake()
                bodyWaiter = waiter
                sendContinue()
            }
        } catch {
            waiter.resume(throwing: error)
        }
    }

    /// The task that waits for the body was cancelled.
    func cancelTake() {
        bodyWaiter?.resume(throwing: CancellationError())
        bodyWaiter = nil
    }

    /// A client that asked for it waits for this before it sends its body (RFC 9110, 10.1.1).
    private func sendContinue() {
        guard !isContinueSent, !isResponseBegun, head.headerFields.contains(.expect) else { return }
        isContinueSent = true
        stream?.write(HTTPResponse(status: .continue))
        stream?.flush()
    }

    // MARK: The response

    /// Whether the status allows a body (RFC 9110, 6.4.1).
    static func mayHaveBody(_ status: HTTPResponse.Status) -> Bool {
        status.code >= 200 && status != .noContent && status != .notModified
    }

    /// Sends a whole response, with one flush.
    func respond(_ head: HTTPResponse, _ body: ByteBuffer, _ trailers: HTTPFields?) {
        guard !isResponseBegun else { return }
        var head = head
        let hasBody = Self.mayHaveBody(head.status)
        // HTTP/1.1 can send trailers only after a body of unknown length.
        if hasBody, trailers == nil {
            head.headerFields[.contentLength] = String(body.readableBytes)
        }
        writeHead(head)
        if hasBody, self.head.method != .head, body.readableBytes > 0 { stream?.write(body) }
        end(trailers)
    }

    /// Sends the head of a response.
    func begin(_ head: HTTPResponse) {
        guard !isResponseBegun else { return }
        writeHead(head)
        stream?.flush()
    }

    private func writeHead(_ head: HTTPResponse) {
        isResponseBegun = true
        connection.loop.figures.responded(stream == nil ? nil : head.status)
        var head = head
        head.headerFields.add(.date, connection.loop.date)
        // Attack: a browser takes a response, which may hold what a client sent, for HTML.
        head.headerFields.add(.xContentTypeOptions, "nosniff")
        // A refused request may be for a host that is not ours. A proxy that ends TLS decides itself.
        if refusal == nil, connection.client.isTLS,
            StrictTransport.applies(to: self.head.authority ?? "")
        {
            head.headerFields[.strictTransportSecurity] = StrictTransport.policy
        }
        stream?.write(head)
    }

    /// Sends a part of the body.
    /// - Returns: whether the client takes it; otherwise `waitForWritability` must be called.
    /// - Throws: `CancellationError` when the stream has ended.
    func write(_ part: ByteBuffer) throws -> Bool {
        guard let stream, !isResponseEnded else { throw CancellationError() }
        guard isResponseBegun, head.method != .head, part.readableBytes > 0 else { return true }
        stream.write(part)
        stream.flush()
        return stream.isWritable
    }

    /// Resumes `waiter` when the client takes more.
    func waitForWritability(_ waiter: CheckedContinuation<Void, any Error>) {
        guard let stream else { return waiter.resume(throwing: CancellationError()) }
        guard !stream.isWritable else { return waiter.resume() }
        cancelWrite()
        writeWaiter = waiter
        if isResponseLate { endSlowResponse() }
    }

    /// The task that waits was cancelled.
    func cancelWrite() {
        writeWaiter?.resume(throwing: CancellationError())
        writeWaiter = nil
    }

    /// The client takes more.
    func becameWritable() {
        writeWaiter?.resume()
        writeWaiter = nil
        if isResponseEnded { responseTaken() }
    }

    /// The response has ended; perhaps the client has taken it.
    private func responseTaken() {
        guard stream?.isHoldingResponse != true else { return }
        responseDeadline?.cancel()
        endIfOver()
    }

    /// Ends the response.
    func end(_ trailers: HTTPFields?) {
        guard isResponseBegun, !isResponseEnded else { return }
        isResponseEnded = true
        dropParts()
        bodyDeadline?.cancel()
        stream?.writeEnd(trailers)
        responseTaken()
        // What still arrives of the body is not kept.
        stream?.resumeReading()
    }
}
