import ArgumentParser
import Messages
import RPC
import ServiceRuntime

/// The option of every command that calls services. Calls one as the operator, and prints its
/// errors.
struct EndpointsOption: ParsableArguments {
    @Option(
        help: """
            The file that `postern up` writes. The environment variable POSTERN_ENDPOINTS sets \
            the default.
            """)
    var endpoints = Endpoints.defaultPath

    /// Calls `service` (`session`, `notification`, …). Prints an error of the service on standard
    /// error, with its address and what to do, and exits with 1.
    /// - Parameter hints: what to do about a rejected field, by the field's name.
    func call<Answer>(
        _ service: String, hints: [String: String] = [:],
        _ question: (Caller) async throws -> Answer
    ) async throws -> Answer {
        let endpoints = try Endpoints(endpoints)
        let caller = try Caller(endpoints, service: service)
        do {
            return try await question(caller)
        } catch let error as ServiceError {
            let address = endpoints.address(of: service)?.description ?? ""
            CallFailure(error: error, service: service, address: address, hints: hints)
                .lines.forEach(Screen.error)
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
    var json: String {
        let entry = code.entry
        var members = [
            "\"code\": \"\(code.rawValue)\"",
            "\"userMessage\": \"\(Self.escaped(userMessage))\"",
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
