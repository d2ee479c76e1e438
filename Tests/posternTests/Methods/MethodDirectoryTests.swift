import Foundation
import Messages
import ServiceRuntime
import Testing

@testable import postern

@Suite("postern methods and postern describe")
struct MethodDirectoryTests {
    private let directory = MethodDirectory.compiled()

    private func method(_ name: String) throws -> SchemaMethod {
        try #require(directory.methods[name])
    }

    /// The lines of all protos.
    private func protoLines() throws -> [Substring] {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let protos = root.appendingPathComponent("Protos/postern")
        let files = try #require(FileManager.default.enumerator(atPath: protos.path))
        var lines: [Substring] = []
        for case let file as String in files where file.hasSuffix(".proto") {
            let text = try String(
                contentsOf: protos.appendingPathComponent(file), encoding: .utf8)
            lines += text.split(separator: "\n")
        }
        return lines
    }

    @Test("the tool knows every method of the protos")
    func complete() throws {
        let count = try protoLines().count { $0.hasPrefix("  rpc ") }
        #expect(count > 100)
        #expect(directory.methods.count == count)
    }

    @Test("the tool knows the errors of every method, and each is in the catalogue")
    func errors() throws {
        let codes = try protoLines().filter { $0.hasPrefix("  // errors: ") }
            .flatMap { $0.dropFirst("  // errors: ".count).split(separator: ", ") }
        #expect(codes.count > 100)
        let known = MethodDirectory.errors.values.joined()
        #expect(known.sorted() == codes.map(String.init).sorted())
        #expect(known.allSatisfy { ErrorCode(rawValue: $0) != nil })
        #expect(MethodDirectory.errors.keys.allSatisfy { directory.methods[$0] != nil })
    }

    @Test("methods are found by a part of their name in any case, with their messages")
    func matching() throws {
        let found = directory.matching("AUTH/SIGNin")
        #expect(found.map(\.name) == ["postern.gateway.v1.Auth/SignInWithPassword"])
        #expect(found.first?.messages == "SignInWithPasswordRequest → SignInWithPasswordResponse")
        #expect(directory.matching("horse").isEmpty)
        let watch = try method("postern.health.v1.Health/Watch")
        #expect(watch.messages == "CheckRequest → stream CheckResponse")
    }

    @Test("the skeleton of every request and response is accepted as that message")
    func skeletons() throws {
        for method in directory.methods.values {
            for message in [method.input, method.output] {
                #expect(throws: Never.self, "\(message.name)") {
                    _ = try message.encodeJSON(message.skeleton(pretty: true))
                }
            }
        }
    }

    @Test("a description has options, fields with types and secrets, and a request to start from")
    func description() throws {
        let lines = try method("postern.gateway.v1.Auth/SignInWithPassword").lines
        #expect(
            lines.prefix(2) == [
                "postern.gateway.v1.Auth/SignInWithPassword",
                "  unary, not idempotent, costly: in a lane of its own, public: also for browsers "
                    + "and phones, a session (--token) is optional",
            ])
        #expect(lines.contains("request SignInWithPasswordRequest"))
        #expect(lines.contains { $0.hasPrefix("  password ") && $0.hasSuffix(" string, secret") })
        #expect(lines.contains { $0.hasPrefix("    deviceId ") && $0.hasSuffix(" string") })
        #expect(lines.contains("response SignInWithPasswordResponse"))
        #expect(lines.contains(#"    "password": "…","#))
    }

    @Test("a description has the method's own errors, with the sentences for users")
    func describedErrors() throws {
        let lines = try method("postern.gateway.v1.Auth/SignUpWithPassword").lines
        let start = try #require(lines.firstIndex(of: "errors of its own"))
        let errors = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(errors.count > 10)
        let sentence = ErrorCode.emailAlreadyInUse.sentence(in: .english)
        #expect(
            errors.contains {
                $0.hasPrefix("  auth/email-already-in-use ") && $0.hasSuffix(" \(sentence)")
            })
        let health = try method("postern.health.v1.Health/Check").lines
        #expect(!health.contains("errors of its own"))
    }

    @Test("an enum has its first value that is not zero; a oneof has one field")
    func placeholders() throws {
        let list = try method("postern.gateway.v1.Admin/ListAccounts")
        #expect(list.request.contains(#""status": "ACCOUNT_STATUS_ACTIVE""#))
        let lookUp = try method("postern.gateway.v1.Admin/LookUpAccount")
        #expect(lookUp.request.contains("accountId"))
        #expect(!lookUp.request.contains("phoneNumber"))
        #expect(lookUp.lines.contains { $0.contains("not together with ") })
    }

    @Test(
        "a misspelt method gets the nearest ones",
        arguments: [
            ("postern.gateway.v1.Auth/SignInWithPasword", "Auth/SignInWithPassword"),
            ("SignInWithPassword", "Auth/SignInWithPassword"),
            ("Auth/refreshSession", "Auth/RefreshSession"),
            ("postern.identity.v1.Acounts/VerifyPassword", "Accounts/VerifyPassword"),
            ("Auth/SignUp", "postern.gateway.v1.Auth/SignUpWithPassword?"),
            ("Auth/SignIn", "did you mean postern.gateway.v1.Auth/SignInWithPassword, or "),
            ("postern.gateway.v1.Auth.SignOut", "did you mean postern.gateway.v1.Auth/SignOut?"),
        ])
    func misspelt(name: String, meant: String) throws {
        let suggestion = try #require(directory.suggestion(for: name))
        #expect(suggestion.hasPrefix("did you mean postern."))
        #expect(suggestion.contains(meant))
    }

    @Test("a method gets no suggestion, and neither does a name like no other")
    func noSuggestion() {
        #expect(directory.suggestion(for: "postern.gateway.v1.Auth/RefreshSession") == nil)
        #expect(directory.suggestion(for: "zebra") == nil)
        #expect(EditDistance.between("kitten".utf8, "sitting".utf8) == 3)
    }

    @Test("the methods of a running service are read by reflection", .timeLimit(.minutes(1)))
    func running() async throws {
        try await NoteServer.with { server in
            let directory = try await server.caller().methodDirectory()
            #expect(
                directory.methods.keys.sorted()
                    == ["Echo", "Join", "Say", "Spell"].map { "\(NoteService.name)/\($0)" })
            let echo = try #require(directory.methods["\(NoteService.name)/Echo"])
            #expect(echo.messages == "stream Note → stream Note")
            #expect(echo.request == #"{"text":"text"}"#)
        }
    }
}
