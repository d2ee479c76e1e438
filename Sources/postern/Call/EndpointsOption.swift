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
    func call<Answer>(
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
            Screen.line(error.json)
            for field in error.fields { hints[field].map(Screen.line) }
            throw ExitCode(1)
        }
    }

    /// Prints the lines that `question` makes of a response.
    func show(
        _ service: String, hints: [String: String] = [:],
        _ question: (Caller) async throws -> [String]
    ) async throws {
        for line in try await call(service, hints: hints, question) { Screen.line(line) }
    }
}

extension ServiceError {
    /// As JSON, in the mapping of `postern.wire.v1.Error`.
    fileprivate var json: String {
        let entry = code.entry
        var members = [
            "\"code\": \"\(code.rawValue)\"",
            "\"userMessage\": \"\(Self.escaped(sentence ?? entry.sentence))\"",
            "\"retryable\": \(entry.isRetryable)", "\"action\": \"\(entry.next.rawValue)\"",
        ]
        if let wait = retryAfter {
            members.append("\"retryAfterMs\": \"\(wait.milliseconds)\"")
        }
        if !violations.isEmpty {
            let texts = violations.map(\.json).joined(separator: ", ")
            members.append("\"violations\": [\(texts)]")
        }
        for (name, words) in [
            ("acceptableProofs", acceptableProofs), ("alternatives", alternatives),
        ] where !words.isEmpty {
            members.append("\"\(name)\": \(Self.list(words))")
        }
        if let proof = secondProof {
            members.append(
                """
                "secondProof": {"challenge": "\(Self.escaped(proof.challenge))", \
                "kinds": \(Self.list(proof.kinds)), "expiresAtMs": "\(proof.expiresAtMs)"}
                """)
        }
        if !unavailablePart.isEmpty {
            members.append("\"unavailablePart\": \"\(Self.escaped(unavailablePart))\"")
        }
        return "{\n  " + members.joined(separator: ",\n  ") + "\n}"
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { "\"\(escaped($0))\"" }.joined(separator: ", ") + "]"
    }

    fileprivate static func escaped(_ text: String) -> String {
        String(
            text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
                .map(Character.init))
    }
}

extension ServiceError.Violation {
    /// As JSON, in the mapping of `postern.wire.v1.Violation`, which omits empty values.
    fileprivate var json: String {
        let members = [("field", field), ("rule", rule), ("sentence", userMessage)].filter {
            !$0.1.isEmpty
        }.map { "\"\($0.0)\": \"\(ServiceError.escaped($0.1))\"" }
        return "{\(members.joined(separator: ", "))}"
    }
}
