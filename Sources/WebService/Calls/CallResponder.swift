import Cryptography
import HTTPTypes
package import Logging
import NIOCore
package import RPC
package import ServiceRuntime

/// Answers calls: Connect, gRPC and gRPC-Web, each translated to one call of the gateway. Which of
/// them a request is, its content type says (`CallFormat`).
///
///     request ─▶ CallFormat ─▶ CallMethod ─▶ caller ─▶ packed request ─▶ gateway ─▶ CallResponse
package struct CallResponder: Sendable {
    /// Size limit of a message, in bytes, as the client sends it: the gateway takes frames of that
    /// size.
    static let messageBytesMax = FrameLimits.frameBytesDefault

    private let methods: CallMethods
    private let gateway: RPCClient
    private let streams: RPCClient
    private let time: any Time
    private let callers: CallerCheck
    private let cookie: RefreshCookie
    private let formalLanguages: FormalLanguages
    private let logger: Logger

    /// Answers calls of `methods`; those of the gateway are passed on to `gateway` if `callers`
    /// admits the caller. Errors of this program are formal in `formalLanguages`; those of the
    /// gateway have its voice.
    /// - Parameter streams: another channel to the same gateway, for calls with streams: they would
    ///   use up what one connection carries (`FrameLimits.servedCallsMax`).
    package init(
        methods: CallMethods, gateway: RPCClient, streams: RPCClient, callers: CallerCheck,
        formalLanguages: FormalLanguages, time: any Time, logger: Logger
    ) {
        self.methods = methods
        self.gateway = gateway
        self.streams = streams
        self.time = time
        self.callers = callers
        self.logger = logger
        cookie = RefreshCookie(methods: methods.ofGateway)
        self.formalLanguages = formalLanguages
    }

    /// Answers one request, whose path is `/package.Service/Method`. When its task is cancelled,
    /// the call of the gateway is cancelled.
    package func respond(to exchange: HTTPExchange) async {
        let name = exchange.path.dropFirst()
        let method = methods[name]
        let fields = callers.responseFields(of: exchange.head)
        let voice = formalLanguages.voice(for: exchange.head.headerFields)
        let format: CallFormat
        do {
            format = try CallFormat(
                negotiating: exchange.head, isHTTP2: exchange.client.isHTTP2, method)
        } catch {
            return CallResponse(exchange, method, .unaryJSON, fields: fields, voice).fail(error)
        }
        var response = CallResponse(exchange, method, format, fields: fields, voice)
        guard let method else { return response.fail(methods.unknown(name)) }
        do {
            let query = exchange.head.method == .get ? exchange.query ?? "" : nil
            let call = try incoming(exchange, method, format, query: query)
            response = CallResponse(exchange, method, call.format, fields: fields, voice)
            try await answer(call, response)
        } catch is CancellationError {
            // The client is gone, and so is the stream that a response would take.
        } catch {
            response.fail(CallFailure(error, logger: logger))
        }
    }

    /// What a request's head says about its call.
    private func incoming(
        _ exchange: HTTPExchange, _ method: CallMethod, _ format: CallFormat, query: Substring?
    ) throws -> IncomingCall {
        let fields = exchange.head.headerFields
        try format.checkFields(fields)
        let own = method.description.timeout
        let timeout = try format.timeout(fields).map { min($0, own) } ?? own
        let parameters = try query.map { text throws(CallFailure) in try CallQuery(text) }
        var caller: WebCaller?
        if case .gateway = method.target {
            caller = try callers.caller(
                of: exchange.head, exchange.client, method: method.schema)
        }
        return IncomingCall(
            exchange: exchange, method: method,
            format: parameters.map { CallFormat(.connectUnary, $0.codec) } ?? format,
            query: parameters, caller: caller,
            context: CallContext(
                // The body arrives within it, so the client decides what is left for the gateway.
                // Attack: bodies that end just before the deadline, until the breaker of the
                // gateway opens for everyone.
                deadline: time.uptime() + timeout, isCallersDeadline: true,
                metadata: caller.map { Metadata(of: fields, from: $0) } ?? Metadata()))
    }

    private func answer(_ call: IncomingCall, _ response: CallResponse) async throws {
        guard !call.method.isStream else { return try await stream(call, response) }
        switch call.method.target {
        case .gateway:
            guard let caller = call.caller else { throw ServiceError(.unauthenticated) }
            try await callGateway(call, caller, response)
        case .unary(let handle): try response.send(handle(try await call.packedRequest()))
        case .stream: preconditionFailure("a unary method is answered by a unary handler")
        }
    }

    /// A unary call of the gateway, with the refresh token in the caller's cookie if it is there.
    private func callGateway(
        _ call: IncomingCall, _ caller: WebCaller, _ response: CallResponse
    ) async throws {
        let (method, schema) = (call.method.description, call.method.schema)
        var packed = try await call.packedRequest()
        let isFromCookie: Bool
        (packed, isFromCookie) = try cookie.insert(
            from: call.exchange.head.headerFields, into: packed, of: caller, method: schema)
        let context = try call.context(boundTo: packed)
        // The array has no other reference here, so that wiping it reaches the password.
        let payload: OutgoingRequest.Payload =
            method.hasSecrets ? .secret(SecretBytes(taking: &packed)) : .plain(packed)
        do {
            let answer = try await gateway.call(method, packed: payload, context)
            let (body, setCookie) = try cookie.take(from: answer, of: caller, method: schema)
            try response.send(body, adding: HTTPFields(setCookie.map { [$0] } ?? []))
        } catch let error as ServiceError {
            var failure = CallFailure(error)
            let deletion = cookie.deletion(
                after: error, of: caller, method: schema, isFromCookie: isFromCookie)
            if let deletion { failure.fields.append(deletion) }
            throw failure
        }
    }
}

// MARK: Streams

extension CallResponder {
    private func stream(_ call: IncomingCall, _ response: CallResponse) async throws {
        let exchange = call.exchange
        let streams = call.method.description.streams
        var requests = RequestMessages(exchange, call.method, call.format)
        try call.caller?.check(body: [])
        // The gateway has not seen the caller's token yet, and this program's own methods need
        // none. A client that sends nothing would hold a request for as long as its connection
        // lives. Items for the gateway must arrive before the deadline of the call.
        if !streams.hasRequestItems || call.caller == nil { exchange.limitBodyTime() }
        // Before the place is taken, which the gateway keeps from a caller with a wrong token.
        let first = call.caller != nil && streams == .response ? try await requests.only() : []
        let client = callers.address(exchange.head.headerFields, exchange.client)
        let places = exchange.streams.places(
            of: call.caller, hasRequestItems: streams.hasRequestItems)
        guard let place = places.take(exchange, from: client, endableSince: time.uptime()) else {
            throw ServiceError(.resourceExhausted, notProcessed: true)
        }
        defer { places.give(place) }
        switch call.method.target {
        case .stream(let handle):
            try await sendStream(response) {
                try await handle(&requests, response, call.context.deadline)
            }
        case .gateway where streams == .request:
            try response.send(try await relay(requests, call, response))
        case .gateway:
            try await sendStream(response) {
                _ = try await relay(requests, call, response, request: first)
            }
        case .unary: preconditionFailure("a stream is answered by a stream's handler")
        }
    }

    /// Sends a response of several messages, which `body` writes, and its end.
    private func sendStream(
        _ response: CallResponse, _ body: () async throws -> Void
    ) async throws {
        response.begin()
        var failure: CallFailure?
        do {
            try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            failure = CallFailure(error, logger: logger)
        }
        try await response.end(failure)
    }

    /// Carries out a call with streams at the gateway. An item is taken from the gateway only when
    /// the one before it has been written, and one from the client when the gateway has credit for
    /// it: so each side's flow control reaches the other.
    /// - Returns: the message of the response; empty where the server sends items.
    private func relay(
        _ requests: RequestMessages, _ call: IncomingCall, _ response: CallResponse,
        request: [UInt8] = []
    ) async throws -> [UInt8] {
        let stream = streams.stream(
            call.method.description, payload: request, try call.context(boundTo: request))
        guard call.method.description.streams.hasRequestItems else {
            return try await receive(stream, response)
        }
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { sides in
            defer { sides.cancelAll() }
            sides.addTask {
                try await send(requests, on: stream)
                return nil
            }
            sides.addTask { try await receive(stream, response) }
            // The gateway may respond before it has received all items.
            while let side = try await sides.next() {
                if let answer = side { return answer }
            }
            return []
        }
    }

    private func send(
        _ requests: RequestMessages, on stream: PackedStreamCall
    ) async throws {
        var requests = requests
        while let item = try await requests.next() {
            do {
                try await stream.outgoing.write(item)
            } catch is ServiceError {
                return  // the call is over; `receive` has its result
            }
        }
        stream.outgoing.finish()
    }

    private func receive(
        _ stream: PackedStreamCall, _ response: CallResponse
    ) async throws -> [UInt8] {
        for try await item in stream.incoming { try await response.write(item) }
        // The response may be an error even if the items ended normally.
        return try await stream.response()
    }
}

/// A call as its head describes it.
private struct IncomingCall: Sendable {
    let exchange: HTTPExchange
    let method: CallMethod
    let format: CallFormat
    /// The query of a GET call, which has the message.
    let query: CallQuery?
    /// Nil for a method that this program implements.
    let caller: WebCaller?
    let context: CallContext

    /// The packed request of a unary call.
    func packedRequest() async throws -> [UInt8] {
        if let query {
            try caller?.check(body: query.message)
            return try method.packedRequest(ByteBuffer(bytes: query.message), format.codec)
        }
        let body = try await exchange.body(bytesMax: format.bodyBytesMax)
        defer { body.wipe() }
        try caller?.check(body: body.readableBytesView)
        return try RequestMessages.only(in: body, of: method, format)
    }

    /// The context, whose idempotency key counts for this caller and request only.
    func context(boundTo request: [UInt8]) throws(ServiceError) -> CallContext {
        guard let caller, let key = context.idempotencyKey else { return context }
        var bound = context
        bound.metadata[Metadata.Key.idempotencyKey] = try BoundIdempotencyKey.bound(
            key, of: caller, request: request, method: method.schema)
        return bound
    }
}

extension CallFormat {
    /// Size limit of the body of a unary call, in bytes: one message, framed.
    fileprivate var bodyBytesMax: Int {
        let message = CallResponder.messageBytesMax
        switch framing {
        case .connectUnary: return message
        case .connectStream, .grpc, .grpcWeb: return message + MessageFrameReader.headBytes
        case .grpcWebText: return (message + MessageFrameReader.headBytes + 2) / 3 * 4
        }
    }
}
