import Foundation
import TestSupport

extension Cluster {
    /// What `postern call` printed.
    struct Answer: Sendable {
        /// 0, or 1 for an error.
        let exitCode: Int32
        /// The JSON on standard output.
        let json: String
        /// The text on standard error, if there is no JSON.
        let errors: String

        /// Decodes the response, in the protocol's JSON mapping.
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(json.utf8))
            } catch {
                throw ClusterError(message: "no \(type): \(json) \(errors)")
            }
        }

        /// The code of the catalogue's error; nil for a response.
        var code: String? {
            guard exitCode == 1 else { return nil }
            // Anything else than an error of the catalogue has no code.
            return try? read(ErrorAnswer.self).code
        }
    }

    /// Calls a method of the gateway for a person, with `address` as the client address.
    func auth(
        _ method: String, _ request: [String: Any], from address: String? = nil,
        key: String? = nil, in session: Session? = nil, language: String? = nil
    ) async throws -> Answer {
        let json = try JSONSerialization.data(withJSONObject: request, options: [.sortedKeys])
        return try await call(
            "postern.gateway.v1.Auth/\(method)", String(decoding: json, as: UTF8.self),
            metadata: [
                "client-address": address, "idempotency-key": key, "accept-language": language,
            ],
            token: session?.accessToken)
    }

    /// `postern call` with the request on its standard input, in the session of `token`.
    func call(
        _ method: String, _ json: String, metadata: [String: String?] = [:],
        options: [String] = [], token: String? = nil
    ) async throws -> Answer {
        let fields = metadata.compactMap { name, value in value.map { "\(name)=\($0)" } }
        let run = try await postern(
            ["call", method, "-"] + fields.flatMap { ["--metadata", $0] } + options
                + (token.map { ["--token", $0] } ?? []) + endpoints,
            input: json)
        return Answer(exitCode: run.exitCode, json: run.output, errors: run.errors)
    }

    /// Another command of the tool.
    func tool(_ arguments: [String]) async throws -> ProgramRun {
        try await postern(arguments + endpoints)
    }

    /// `postern limits`.
    func limits(_ arguments: String...) async throws -> ProgramRun {
        try await postern(["limits"] + arguments + endpoints)
    }

    /// `postern status`.
    func status() async throws -> ProgramRun { try await postern(["status"] + endpoints) }

    /// The mails to an address as `postern inbox` shows them.
    func inbox(to address: String) async throws -> String {
        try await postern(["inbox", "--data", data, "--to", address]).output
    }

    /// The token of the link that was mailed to an address; waits for the mail.
    func mailedToken(to address: String) async throws -> String {
        var text = ""
        let isThere = try await eventually {
            text = try await inbox(to: address)
            return text.contains("token=")
        }
        guard isThere, let token = text.split(separator: "token=").last else {
            throw ClusterError(message: "no mail to \(address): \(text)")
        }
        return String(token.prefix { !$0.isWhitespace && $0 != "&" })
    }

    /// The lines of `postern audit watch`, from the first entry to one that contains the text.
    func watchedLines(until text: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "audit.jsonl")
        let options = ["audit", "watch", "-o", "json", "--since", "2020-01-01", "--to", path]
        let tool = RunningProcess(
            BuiltPrograms.path("postern"), options + endpoints, in: folder.path)
        try tool.start()
        var lines: [String] = []
        let isThere = try await eventually {
            lines = try String(contentsOfFile: path, encoding: .utf8)
                .split(separator: "\n").map(String.init)
            return lines.contains { $0.contains(text) }
        }
        tool.send(SIGTERM)
        _ = await tool.end(within: .seconds(5))
        guard isThere else { throw ClusterError(message: "no \(text): \(lines)") }
        return lines
    }

    /// The option that gives the programs' addresses to the tool.
    var endpoints: [String] { ["--endpoints", "\(data)/endpoints.json"] }

    /// Runs the tool with these arguments.
    func postern(_ arguments: [String], input: String = "") async throws -> ProgramRun {
        try await ProgramRun.run("postern", arguments, input: input)
    }
}
