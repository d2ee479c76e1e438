import ArgumentParser
import Testing

@testable import postern

@Suite("postern call: the access token of the session to call in")
struct CallTokenTests {
    private static let method = "postern.gateway.v1.AccountSessions/ListSessions"

    @Test("the token is text, a file or standard input", arguments: ["eyJ…", "@token", "-"])
    func forms(text: String) throws {
        let command = try CallCommand.parse([Self.method, "--token", text])
        #expect(command.token == text && command.request == "{}")
    }

    @Test("token and request cannot both be standard input")
    func both() {
        #expect(throws: (any Error).self) {
            try CallCommand.parse([Self.method, "-", "--token", "-"])
        }
    }
}
