import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Calls methods by their names, as reflection describes them.
struct Caller {
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

    /// The answer to `json`, as JSON.
    func call(
        _ name: String, json: String, metadata: Metadata, timeout: Duration
    ) async throws -> String {
        let method = try await method(name)
        let request = try method.input.encodeJSON(json)
        let answer = try await client.call(
            name, payload: request, client.context(timeout: timeout, metadata: metadata))
        return try method.output.decodeToJSON(answer, pretty: true)
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

    /// Whether the service says that it takes calls.
    func isServing() async throws -> Bool {
        let health: HealthV1.CheckResponse = try await client.call(
            MethodDescription(
                name: "postern.health.v1.Health/Check", isIdempotent: true, timeout: .seconds(1),
                isOnLoop: true),
            HealthV1.CheckRequest(), client.context(timeout: .seconds(1)))
        return health.status == .serving
    }
}
