import ArgumentParser
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

/// Asks one service as the operator, for the commands that show what it answers.
struct OperatorCaller: Sendable {
    /// Of one call.
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

    /// Of one call, from now on.
    var context: CallContext { client.context(timeout: Self.patience) }

    /// Shows an error of the service as the catalogue words it, and ends the program then.
    /// - Parameter hints: what to do about a field that was refused.
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
