import ArgumentParser
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

/// Calls one service as the operator, for commands that print the response.
struct OperatorCaller: Sendable {
    /// Timeout of one call.
    private static let patience = Duration.seconds(10)

    /// The channel, for a generated client.
    let client: RPCClient

    /// A caller of `service` (`session`, `notification`, …).
    /// - Parameter path: the file that `postern up` writes.
    init(_ path: String, service: String) throws {
        client = RPCClient(
            try Endpoints(path).client(of: service), group: MultiThreadedEventLoopGroup.singleton,
            time: SystemTime(), randomness: SecureRandomness())
    }

    /// A context for one call that starts now.
    var context: CallContext { client.context(timeout: Self.patience) }

    /// Prints an error of the service as JSON and exits with 1.
    /// - Parameter hints: what to do about a rejected field, by the field's name.
    static func telling<Value>(
        hints: [String: String] = [:], _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            for field in error.fields { hints[field].map(Screen.line) }
            throw ExitCode(1)
        }
    }
}
