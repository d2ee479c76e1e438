import TestSupport
import Testing

extension SystemTests {
    @Suite("postern outbox")
    struct OutboxTool {
        @Test("N-03: lists a sent mail, masked, shows it, and neither retries nor discards it")
        func tool() async throws {
            try await Cluster.with { cluster in
                let person = Person(1)
                _ = try await cluster.signUp(person)
                _ = try await cluster.mailedToken(to: person.email)
                let outbox = { (arguments: [String]) async throws -> String in
                    try await cluster.postern(["outbox"] + arguments + cluster.endpoints).output
                }
                // The outcome is recorded shortly after the inbox has the mail.
                let isSent = try await eventually {
                    try await outbox(["--state", "sent"]).contains("a…@e….org  verify-email")
                }
                #expect(isSent)
                let list = try await outbox([])
                #expect(!list.contains(person.email))
                let id = try #require(list.split(separator: " ").first.map(String.init))
                for command in [["show", id], ["retry", id], ["discard", id, "--yes"]] {
                    let line = try await outbox(command)
                    #expect(line.hasPrefix("\(id)  sent"), "\(command): \(line)")
                }
                #expect(try await outbox(["discard", id]).isEmpty, "discarded without --yes")
                #expect(try await outbox(["--state", "dead"]).isEmpty)
                let unknown = try await cluster.tool(["outbox", "show", "msg_0000000000001"])
                #expect(unknown.exitCode == 1 && unknown.output.isEmpty)
                #expect(unknown.errors.contains("rpc/not-found"))
                #expect(unknown.errors.contains("notification at 127.0.0.1:"))
            }
        }
    }
}
