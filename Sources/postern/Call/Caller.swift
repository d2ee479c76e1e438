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
    /// - Parameter timeout: of the whole call; nil for the default of its kind.
    func call(
        _ name: String, _ request: RequestText, metadata: Metadata, timeout: Duration?,
        show: @escaping @Sendable (String) throws -> Void
    ) async throws {
        let method = try await method(name)
        let limit = timeout ?? (method.isStream ? Self.streamTimeout : Self.timeout)
        let lines = method.hasRequestItems ? try request.lines() : nil
        let payload = try lines == nil ? method.input.encodeJSON(request.whole()) : []
        let context = client.context(timeout: limit, metadata: metadata)
        try await Interruption.cancels {
            guard method.isStream else {
                let answer = try await client.call(name, payload: payload, context)
                return try show(method.output.decodeToJSON(answer, pretty: true))
            }
            let call = client.stream(method.description(timeout: limit), payload: payload, context)
            try await StreamedCall(method: method, call: call, show: show).run(lines)
        }
    }

    private func method(_ name: String) async throws -> SchemaMethod {
        guard let slash = name.firstIndex(of: "/") else { throw ToolError.badMethod(name) }
        let described: ReflectionV1.DescribeResponse = try await client.call(
            MethodDescription(
                name: "postern.reflection.v1.Reflection/Describe", isIdempotent: true,
                timeout: .seconds(5), isOnLoop: true),
            ReflectionV1.DescribeRequest(service: String(name[..<slash])),
            client.context(timeout: .seconds(5)))
        guard
            let method = try Schema(fileDescriptorSet: described.fileDescriptorSet)
                .method(named: name)
        else { throw ServiceError(.unknownMethod) }
        return method
    }

    /// Returns the service's health.
    func health() async throws -> HealthV1.CheckResponse {
        try await client.call(
            MethodDescription(
                name: "postern.health.v1.Health/Check", isIdempotent: true, timeout: .seconds(1),
                isOnLoop: true),
            HealthV1.CheckRequest(), client.context(timeout: .seconds(1)))
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
}

/// A call with streams, from lines of JSON to lines of JSON.
struct StreamedCall: Sendable {
    private enum Side {
        case ours, theirs
    }

    let method: SchemaMethod
    let call: RPCClient.PackedStreamCall
    let show: @Sendable (String) throws -> Void

    /// Sends the items of `lines` and prints the items received, until the server's response.
    /// - Throws: `ServiceError` if the call failed; an error in a line, which cancels the call.
    func run(_ lines: ItemLines?) async throws {
        try await withThrowingTaskGroup(of: Side.self) { sides in
            defer { sides.cancelAll() }
            if let lines { sides.addTask { try await send(lines) } }
            sides.addTask { try await receive() }
            while let ended = try await sides.next() {
                // The server may respond before it has received all items.
                if ended == .theirs { return }
            }
        }
    }

    private func send(_ lines: ItemLines) async throws -> Side {
        var lines = lines
        do {
            while let line = try await lines.next() {
                try await call.outgoing.write(try method.input.encodeJSON(line))
            }
            call.outgoing.finish()
        } catch is ServiceError {
            // The call is over; `receive` reports its result.
        } catch is CancellationError {
            // Cancelled: `receive` reports that too.
        }
        return .ours
    }

    private func receive() async throws -> Side {
        guard method.hasResponseItems else {
            try show(method.output.decodeToJSON(try await call.response(), pretty: true))
            return .theirs
        }
        for try await item in call.incoming {
            try show(method.output.decodeToJSON(item, pretty: false))
        }
        // The response may be an error even if the items ended normally.
        _ = try await call.response()
        return .theirs
    }
}
