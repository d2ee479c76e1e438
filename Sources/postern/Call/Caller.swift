import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Calls methods by name; reflection supplies their descriptors.
struct Caller {
    /// Timeout of a unary call.
    static let timeout = Duration.seconds(10)
    /// Timeout of a call with streams, which may wait for a user or watch for a long time.
    static let streamTimeout = Duration.seconds(3_600)

    private let client: RPCClient

    /// A caller of `service` (`gateway`, `session`, …).
    init(
        _ endpoints: Endpoints, service: String, connectPatience: Duration = .seconds(2)
    ) throws {
        client = RPCClient(
            try endpoints.client(of: service, connectPatience: connectPatience),
            group: MultiThreadedEventLoopGroup.singleton,
            time: SystemTime(), randomness: SecureRandomness())
    }

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
