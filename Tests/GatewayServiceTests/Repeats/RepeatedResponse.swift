import Contracts
import Messages
import RPC
import Testing

/// The part of a call's response that a repeat gets too: its lines as JSON, of all messages.
struct RepeatedResponse: Hashable, Sendable {
    private let lines: [String]

    /// Fields that may differ in a repeat: an access token, which expires before a late repeat; the
    /// time; and a wait that is counted from now.
    private static let passing = [
        "accessToken", "accessExpiresAtMs", "answeredAtMs", "nextAfterMs",
    ]

    /// Fields that may also differ after a day: the account's last sign-in, which a late
    /// re-authentication changes, and the limiter's counts, because the limiter forgets charges
    /// sooner.
    private static let passingInADay = ["lastSignInAtMs", "attempt", "remaining"]

    /// A list that only the first response has: nothing is stored of it.
    private static let shownOnce = "recoveryCodes"

    /// Fields of what goes on after the call, so that a repeat gets its present state.
    private static let progress = [
        GuestsDescription.uploadGuestBundle: ["state", "done", "changedAtMs"]
    ]

    private static let types = Result { () throws -> [String: SchemaMessage] in
        var types: [String: SchemaMessage] = [:]
        for service in ServiceDescription.ofGateway {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            for method in service.methods {
                types[method.name] = schema.method(named: method.name)?.output
            }
        }
        return types
    }

    /// Reads a response, or the items of a stream.
    init(_ messages: [[UInt8]], of method: MethodDescription) throws {
        let types = try Self.types.get()
        let type = try #require(types[method.name], "\(method.name) is in no service")
        let list = try Regex("\"\(Self.shownOnce)\": \\[[^\\]]*\\]")
        lines = Self.lines(
            try messages.map { try type.decodeToJSON($0, pretty: true).replacing(list, with: "") },
            without: Self.passing + Self.progress[method, default: []])
    }

    /// What a repeat gets after a day.
    var afterADay: [String] { Self.lines(lines, without: Self.passingInADay) }

    private static func lines(_ texts: [String], without fields: [String]) -> [String] {
        let all: [Substring] = texts.flatMap { $0.split(separator: "\n") }
        let kept = all.filter { line in !fields.contains { line.contains("\"\($0)\"") } }
        let lines: [String] = kept.map { String($0.last == "," ? $0.dropLast() : $0) }
        return lines.filter { !isBracket($0) }
    }

    /// Whether a line has no value: an object that a list was the only member of.
    private static func isBracket(_ line: String) -> Bool {
        let brackets: Set<Character> = [" ", "{", "}"]
        return line.allSatisfy(brackets.contains)
    }
}
