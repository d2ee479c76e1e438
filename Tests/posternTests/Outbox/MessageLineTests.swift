import ArgumentParser
import Messages
import Testing

@testable import postern

@Suite("Lines of postern outbox")
struct MessageLineTests {
    private static let dead = NotificationV1.MessageSummary(
        messageId: "msg_0000000000001", channel: .email, lane: .security, template: "verify-email",
        recipient: "a…@e….org", state: .dead, attempts: 3, acceptedAtMs: 0, endedAtMs: 1_000,
        reason: "smtp-550", canBeRetried: true)

    @Test("a dead message shows the reason, the time, and that it can be retried")
    func deadLine() {
        #expect(
            Self.dead.row.line == """
                msg_0000000000001  dead     email  a…@e….org  verify-email  3 tries  smtp-550  \
                at 1970-01-01T00:00:01.000Z  (can be retried)
                """)
    }

    @Test("a waiting message shows the time of its next attempt")
    func waitingLine() {
        var message = Self.dead
        message.state = .waiting
        message.attempts = 1
        message.dueAtMs = 2_000
        message.canBeRetried = false
        #expect(message.row.line.hasSuffix("1 try  smtp-550  again at 1970-01-01T00:00:02.000Z"))
    }

    @Test("a retry that changes nothing says why")
    func notRetried() {
        var message = Self.dead
        #expect(message.reasonAgainstRetry?.hasPrefix("it has expired") == true)
        message.state = .sent
        #expect(message.reasonAgainstRetry == "it was sent")
        message.state = .waiting
        message.dueAtMs = 2_000
        #expect(
            message.reasonAgainstRetry?.hasPrefix(
                "it waits for its next try, at 1970-01-01T00:00:02.000Z; only dead") == true)
        for state in [NotificationV1.MessageState.queued, .sending] {
            message.state = state
            #expect(message.reasonAgainstRetry == nil)
        }
    }

    @Test("messages to retry are named, or all of them are")
    func retried() throws {
        #expect(try OutboxCommand.Retry.parse(["msg_1", "msg_2"]).messages == ["msg_1", "msg_2"])
        #expect(try OutboxCommand.Retry.parse(["--all"]).all)
        for arguments in [[], ["msg_1", "--all"]] {
            #expect(throws: (any Error).self) { try OutboxCommand.Retry.parse(arguments) }
        }
    }

    @Test("a state or channel that this tool does not know is shown as unknown")
    func unknown() {
        var message = Self.dead
        message.state = .unrecognized(9)
        message.channel = .unspecified
        #expect(message.row.line.hasPrefix("msg_0000000000001  unknown  unknown  "))
    }

    @Test("a watch shows the number of missed changes, each change, and the count of each state")
    func watch() {
        let item = NotificationV1.WatchMessagesItem(
            counts: [.init(state: .dead, count: 7)], changes: [Self.dead], changesLeftOut: 3)
        #expect(
            item.lines == [
                "… 3 more changes", Self.dead.row.line, "-- 0 queued, 0 sending, 0 waiting, 7 dead",
            ])
    }
}
