import ArgumentParser
import Testing

@testable import postern

@Suite("A question before what cannot be undone")
struct ConfirmationTests {
    private func option(_ arguments: String...) throws -> ConfirmationOption {
        try ConfirmationOption.parse(arguments)
    }

    @Test("only y and yes continue", arguments: ["y", "yes", "YES"])
    func agreed(answer: String) throws {
        try option().confirm("a key is lost", isOnTerminal: true) { question in
            #expect(question == "a key is lost; this cannot be undone. Continue? [y/N] ")
            return answer
        }
    }

    @Test("any other answer, and the end of the input, change nothing", arguments: ["", "n", nil])
    func refused(answer: String?) throws {
        let option = try option()
        #expect(throws: ToolError.self) {
            try option.confirm("a key is lost", isOnTerminal: true) { _ in answer }
        }
    }

    @Test("--yes skips the question, also without a terminal")
    func yes() throws {
        try option("--yes").confirm("a key is lost", isOnTerminal: false) { _ in
            Issue.record("asked")
            return nil
        }
    }

    @Test("without a terminal and without --yes it refuses, and says so")
    func withoutTerminal() throws {
        let option = try option()
        let error = #expect(throws: ToolError.self) {
            try option.confirm("a key is lost", isOnTerminal: false) { _ in "yes" }
        }
        #expect(error?.description.contains("Nothing was changed") == true)
        #expect(error?.description.contains("--yes") == true)
    }

    @Test("every command whose effect cannot be undone takes --yes")
    func commands() throws {
        let commands: [[String]] = [
            ["applications", "remove", "shop"], ["keys", "revoke", "kid"],
            ["limits", "rotate-key", "--forget-oldest"], ["outbox", "discard", "msg_1"],
            ["webhooks", "remove", "whk_1"],
        ]
        for command in commands { _ = try PosternTool.parseAsRoot(command + ["--yes"]) }
    }
}
