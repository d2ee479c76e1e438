import ArgumentParser
import Messages
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
        _ question: (Caller) async throws -> Answer
    ) async throws -> Answer {
        let caller = try Caller(Endpoints(endpoints), service: service)
        return try await Self.reporting(hints: hints) { try await question(caller) }
    }

    /// Prints an error of a service as JSON and exits with 1.
    static func reporting<Answer>(
        hints: [String: String] = [:], _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            for field in error.fields { hints[field].map(Screen.line) }
            throw ExitCode(1)
        }
    }

    /// Prints the lines that `question` makes of a response.
    func show(
        _ service: String, hints: [String: String] = [:],
        _ question: (Caller) async throws -> [String]
    ) async throws {
        for line in try await ask(service, hints: hints, question) { Screen.line(line) }
    }
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
