import ArgumentParser
import Testing

@testable import postern

@Suite("A word that is no command gets the one that was meant")
struct MisspeltCommandTests {
    @Test(
        "the nearest command is named, with those before it",
        arguments: [
            (["accounts", "lookup", "ada@example.org"], "`postern accounts look-up`"),
            (["accounts", "Look-Up", "ada@example.org"], "`postern accounts look-up`"),
            (["acounts", "look-up"], "`postern accounts`"),
            (["import", "json", "users.json"], "`postern import jsonl`"),
            (["limits", "peak", "ada@example.org"], "`postern limits peek`"),
        ])
    func near(arguments: [String], meant: String) {
        #expect(MisspeltCommand.hint(arguments)?.hasPrefix("did you mean \(meant)") == true)
    }

    @Test(
        "there is no hint for commands, options, and words like no other",
        arguments: [
            [], ["accounts"], ["accounts", "look-up"], ["--lookup"], ["accounts", "--lookup"],
            ["zebra"], ["accounts", "zebra"], [String(repeating: "a", count: 100_000)],
            ["accounts", "look-up", "lookup"],
        ])
    func none(arguments: [String]) {
        #expect(MisspeltCommand.hint(arguments) == nil)
    }
}
