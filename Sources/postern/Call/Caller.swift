import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Calls one service as `endpoints.json` says: by a generated client, or a method by its name,
/// whose descriptor reflection supplies.
struct Caller: Sendable {
    /// Timeout of a unary call.
    static let timeout = Duration.seconds(10)
    /// Timeout of a call with streams, which may wait for a user or watch for a long time.
    static let streamTimeout = Duration.seconds(3_600)

    /// The channel, for a generated client.
    let client: RPCClient

    /// A caller of `service` (`gateway`, `session`, …).
    init(
        _ endpoints: Endpoints, service: String, connectTimeout: Duration = .seconds(2)
    ) throws {
        client = RPCClient(
            try endpoints.client(of: service, connectTimeout: connectTimeout),
            group: MultiThreadedEventLoopGroup.singleton,
            time: SystemTime(), randomness: SecureRandomness())
    }

    /// A context for one unary call that starts now.
    var context: CallContext { client.context(timeout: Self.timeout) }

    /// Calls a method of any kind by its name and prints the response as JSON: a stream's items one
    /// per line, as they arrive.
    /// - Parameters:
    ///   - token: the access token of the session to call in; nil for none.
    ///   - timeout: of the whole call; nil for the default of its kind.
    func call(
        _ name: String, _ request: RequestText, metadata: Metadata, token: String?,
        timeout: Duration?, show: @escaping @Sendable (String) throws -> Void
    ) async throws {
        let method = try await method(name)
        let limit = timeout ?? (method.isStream ? Self.streamTimeout : Self.timeout)
        let lines = method.hasRequestItems ? try request.lines() : nil
        let payload = try lines == nil ? method.input.encodeJSON(request.whole()) : []
        let outside = client.context(timeout: limit, metadata: metadata)
        let context = token.map { outside.bearing($0) } ?? outside
        let description = method.description(timeout: limit)
        try await Interruption.cancels {
            guard method.isStream else {
                let answer = try await client.call(description, packed: .plain(payload), context)
                return try show(method.output.decodeToJSON(answer, pretty: true))
            }
            let call = client.stream(description, payload: payload, context)
            try await method.exchange(call, lines, show: show)
        }
    }

    private func method(_ name: String) async throws -> SchemaMethod {
        guard let slash = name.firstIndex(of: "/") else {
            throw ToolError(
                "\(name) is no method; example: postern.gateway.v1.Auth/SignInWithPassword")
        }
        let described = try await ReflectionClient(client).describeService(
            .init(service: String(name[..<slash])), client.context(timeout: .seconds(5)))
        guard
            let method = try Schema(fileDescriptorSet: described.fileDescriptorSet)
                .method(named: name)
        else { throw ServiceError(.unknownMethod) }
        return method
    }

    /// Returns the service's health.
    func health() async throws -> HealthV1.CheckResponse {
        try await HealthClient(client).check(.init(), client.context(timeout: .seconds(1)))
    }
}

extension SchemaMethod {
    /// Items are sent in at least one direction.
    fileprivate var isStream: Bool { hasRequestItems || hasResponseItems }

    /// The method's description for the client. It is not retried, since the descriptors do not say
    /// whether it is idempotent.
    fileprivate func description(timeout: Duration) -> MethodDescription {
        let streams: MethodDescription.Streams =
            switch (hasRequestItems, hasResponseItems) {
            case (false, false): .none
            case (false, true): .response
            case (true, false): .request
            case (true, true): .both
            }
        return MethodDescription(
            name: name, isIdempotent: false, timeout: timeout, isOnLoop: false, streams: streams)
    }

    /// Runs a call with streams: sends the items of `lines` and prints the items received, until
    /// the server's response.
    /// - Throws: `ServiceError` if the call failed; an error in a line, which cancels the call.
    fileprivate func exchange(
        _ call: PackedStreamCall, _ lines: ItemLines?,
        show: @escaping @Sendable (String) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { sides in
            defer { sides.cancelAll() }
            if let lines {
                sides.addTask {
                    try await send(lines, on: call)
                    return false
                }
            }
            sides.addTask {
                try await receive(from: call, show)
                return true
            }
            // The server may respond before it has received all items.
            while let isOver = try await sides.next(), !isOver {}
        }
    }

    private func send(_ lines: ItemLines, on call: PackedStreamCall) async throws {
        var lines = lines
        do {
            while let line = try await lines.next() {
                try await call.outgoing.write(try input.encodeJSON(line))
            }
            call.outgoing.finish()
        } catch is ServiceError {
            // The call is over; `receive` reports its result.
        } catch is CancellationError {
            // Cancelled: `receive` reports that too.
        }
    }

    private func receive(
        from call: PackedStreamCall, _ show: @Sendable (String) throws -> Void
    ) async throws {
        guard hasResponseItems else {
            return try show(output.decodeToJSON(try await call.response(), pretty: true))
        }
        for try await item in call.incoming {
            try show(output.decodeToJSON(item, pretty: false))
        }
        // The response may be an error even if the items ended normally.
        _ = try await call.response()
    }
}

extension Caller {
    /// A context for one call that is to be done once, also if it has to be sent twice.
    var keyed: CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = Hex.encode(SecureRandomness().bytes(16))
        return client.context(timeout: Self.timeout, metadata: metadata)
    }
}
