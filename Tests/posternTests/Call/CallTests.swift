import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("postern call: every kind of method, by its descriptor", .timeLimit(.minutes(1)))
struct CallTests {
    private static let three = """
        {"text": "a"}

        {"text": "b"}
        {"text": "c"}
        """

    @Test("a unary call shows one response")
    func unary() async throws {
        try await NoteServer.with { server in
            let shown = try await server.caller().shown("Say", #"{"text": "hello"}"#)
            #expect(shown == ["{\n  \"text\": \"hello\"\n}"])
        }
    }

    @Test("a server stream shows each item on its own line")
    func serverStream() async throws {
        try await NoteServer.with { server in
            let shown = try await server.caller().shown("Spell", #"{"text": "ada"}"#)
            #expect(shown.map(plain) == [#"{"text":"a"}"#, #"{"text":"d"}"#, #"{"text":"a"}"#])
        }
    }

    @Test("each line of the request is an item of a client stream, which gets one response")
    func clientStream() async throws {
        try await NoteServer.with { server in
            let shown = try await server.caller().shown("Join", Self.three)
            #expect(shown.map(plain) == [#"{"text":"a+b+c"}"#])
        }
    }

    @Test("each line of a file is an item as well")
    func file() async throws {
        try await NoteServer.with { server in
            let path = try server.folder.write(Self.three, to: "items")
            let shown = try await server.caller().shown("Join", "@\(path)")
            #expect(shown.map(plain) == [#"{"text":"a+b+c"}"#])
        }
    }

    @Test("a bidirectional stream sends and shows items")
    func bidirectional() async throws {
        try await NoteServer.with { server in
            let shown = try await server.caller().shown("Echo", Self.three)
            #expect(shown.map(plain) == ["a", "b", "c"].map { #"{"text":"\#($0)"}"# })
        }
    }

    @Test("a server may respond before all lines are sent")
    func early() async throws {
        try await NoteServer.with { server in
            let more = String(repeating: #"{"text": "more"}"# + "\n", count: 5_000)
            let shown = try await server.caller()
                .shown("Join", #"{"text": "a"}"# + "\n" + #"{"text": "stop"}"# + "\n" + more)
            #expect(shown.map(plain) == [#"{"text":"a+stop"}"#])
        }
    }

    @Test("an error after items is the call's error, and the items were shown")
    func failure() async throws {
        try await NoteServer.with { server in
            let shown = Shown()
            let error = await #expect(throws: ServiceError.self) {
                try await server.caller().call(
                    "\(NoteService.name)/Spell", RequestText(#"{"text": "ab!c"}"#),
                    metadata: Metadata(), token: nil, timeout: nil
                ) { shown.add($0) }
            }
            #expect(error?.code == .tooManyRequests)
            #expect(shown.lines.count == 2)
        }
    }

    @Test("a line that is not a valid item ends the call with an error")
    func badLine() async throws {
        try await NoteServer.with { server in
            let caller = try server.caller()
            await #expect(throws: MappingError.self) {
                _ = try await caller.shown("Join", #"{"text": "a"}"# + "\n" + #"{"horse": 1}"#)
            }
        }
    }

    private func plain(_ line: String) -> String {
        line.filter { !$0.isWhitespace }
    }
}
