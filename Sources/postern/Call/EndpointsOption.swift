import ArgumentParser
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// The option of every command that calls services. Calls one as the operator, and prints its
/// errors.
struct EndpointsOption: ParsableArguments {
    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Calls `service` (`session`, `notification`, …). Prints an error of the service as JSON and
    /// exits with 1.
    /// - Parameter hints: what to do about a rejected field, by the field's name.
    func ask<Answer>(
        _ service: String, hints: [String: String] = [:],
        _ question: (OperatorCaller) async throws -> Answer
    ) async throws -> Answer {
        let caller = try OperatorCaller(endpoints, service: service)
        do {
            return try await question(caller)
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            for field in error.fields { hints[field].map(Screen.line) }
            throw ExitCode(1)
        }
    }

    /// Prints the lines that `question` makes of a response.
    func show(
        _ service: String, hints: [String: String] = [:],
        _ question: (OperatorCaller) async throws -> [String]
    ) async throws {
        for line in try await ask(service, hints: hints, question) { Screen.line(line) }
    }
}

/// Calls one service as the operator.
struct OperatorCaller: Sendable {
    /// Timeout of one call.
    private static let patience = Duration.seconds(10)

    /// The channel, for a generated client.
    let client: RPCClient

    /// A caller of `service`.
    /// - Parameter path: the file that `postern up` writes.
    init(_ path: String, service: String) throws {
        client = RPCClient(
            try Endpoints(path).client(of: service), group: MultiThreadedEventLoopGroup.singleton,
            time: SystemTime(), randomness: SecureRandomness())
    }

    /// A context for one call that starts now.
    var context: CallContext { client.context(timeout: Self.patience) }
}

/// An error of the catalogue as JSON, in the mapping of `postern.wire.v1.Error`.
enum ErrorText {
    static func json(_ error: ServiceError) -> String {
        let entry = error.code.entry
        var fields = [
            "\"code\": \"\(error.code.rawValue)\"",
            "\"userMessage\": \"\(escaped(error.sentence ?? entry.sentence))\"",
            "\"retryable\": \(entry.isRetryable)", "\"action\": \"\(entry.next.rawValue)\"",
        ]
        if let wait = error.retryAfter {
            fields.append("\"retryAfterMs\": \"\(wait.milliseconds)\"")
        }
        if !error.fields.isEmpty {
            let names = error.fields.map { "\"\(escaped($0))\"" }.joined(separator: ", ")
            fields.append("\"fields\": [\(names)]")
        }
        return "{\n  " + fields.joined(separator: ",\n  ") + "\n}"
    }

    private static func escaped(_ text: String) -> String {
        String(
            text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
                .map(Character.init))
    }
}
