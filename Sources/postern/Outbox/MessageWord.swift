import ArgumentParser
import Messages
import ServiceRuntime

/// The words that the tool uses for the values of the outbox.
enum MessageWord {
    /// State of a message.
    enum State: String, CaseIterable, ExpressibleByArgument {
        case queued, sending, waiting, sent, dead

        var wire: NotificationV1.MessageState {
            switch self {
            case .queued: .queued
            case .sending: .sending
            case .waiting: .waiting
            case .sent: .sent
            case .dead: .dead
            }
        }

        static func word(of state: NotificationV1.MessageState) -> String {
            allCases.first { $0.wire == state }?.rawValue ?? "unknown"
        }
    }

    /// Channel of a message.
    enum Channel: String, CaseIterable, ExpressibleByArgument {
        case email, sms, push

        var wire: NotificationV1.MessageChannel {
            switch self {
            case .email: .email
            case .sms: .sms
            case .push: .push
            }
        }

        static func word(of channel: NotificationV1.MessageChannel) -> String {
            allCases.first { $0.wire == channel }?.rawValue ?? "unknown"
        }
    }
}

extension NotificationV1.MessageSummary {
    /// `msg_…  dead     email  a…@e….org  verify-email  3 tries  smtp-550  at 2026-01-31T09:05:00Z`
    var line: String {
        let stands = MessageWord.State.word(of: state)
        let tries = attempts == 1 ? "1 try" : "\(attempts) tries"
        let parts = [
            messageId, stands + String(repeating: " ", count: max(0, 7 - stands.count)),
            MessageWord.Channel.word(of: channel), recipient, template, tries, reason, moment,
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
        let numbers = MessageWord.State.allCases.filter { $0 != .sent }.map { state in
            "\(counts.first { $0.state == state.wire }?.count ?? 0) \(state.rawValue)"
        }
        return missed + changes.map(\.line) + ["-- " + numbers.joined(separator: ", ")]
    }
}
