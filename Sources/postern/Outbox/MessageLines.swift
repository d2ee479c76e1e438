import ArgumentParser
import Messages
import ServiceRuntime

extension NotificationV1.MessageState: NamedValue {
    static var words: KeyValuePairs<Self, String> {
        [
            .queued: "queued", .sending: "sending", .waiting: "waiting", .sent: "sent",
            .dead: "dead",
        ]
    }
}

extension NotificationV1.MessageChannel: NamedValue {
    static var words: KeyValuePairs<Self, String> { [.email: "email", .sms: "sms", .push: "push"] }
}

extension NotificationV1.MessageSummary {
    /// `msg_…  dead     email  a…@e….org  verify-email  3 tries  smtp-550  at 2026-01-31T09:05:00Z`
    var line: String {
        let tries = attempts == 1 ? "1 try" : "\(attempts) tries"
        let parts = [
            messageId, state.word.padded(to: 9) + channel.word, recipient, template, tries, reason,
            moment,
            canBeRetried ? "(can be retried)" : "",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private var moment: String {
        switch state {
        case .sent, .dead: "at \(Timestamp(milliseconds: endedAtMs).text)"
        case .waiting: "again at \(Timestamp(milliseconds: dueAtMs).text)"
        default: "since \(Timestamp(milliseconds: acceptedAtMs).text)"
        }
    }
}

extension NotificationV1.FailedTry {
    /// `  try 2 at 2026-01-31T09:05:00Z: smtp-451`
    var line: String { "  try \(attempt) at \(Timestamp(milliseconds: atMs).text): \(reason)" }
}

extension NotificationV1.WatchMessagesItem {
    /// The changes, one line each, and then the number of messages by state.
    var lines: [String] {
        let missed = changesLeftOut == 0 ? [] : ["… \(changesLeftOut) more changes"]
        let numbers = NotificationV1.MessageState.words.filter { $0.key != .sent }.map { state in
            "\(counts.first { $0.state == state.key }?.count ?? 0) \(state.value)"
        }
        return missed + changes.map(\.line) + ["-- " + numbers.joined(separator: ", ")]
    }
}
