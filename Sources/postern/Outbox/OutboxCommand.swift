import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern outbox`: queued messages, and those that could not be delivered (N-03).
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Lists, retries, discards or watches messages.",
        discussion: """
            A message is queued, then sending, then sent; or waiting for a retry; or dead. Its \
            content is never shown, and recipients are masked: a…@e….org, +49…21.

              postern outbox --state dead          messages that could not be delivered, and why
              postern outbox show msg_…            every failed attempt
              postern outbox retry msg_…           send a dead message again
              postern outbox watch                 changes, until Ctrl-C

            A dead message can be retried for seven days, or until it expires: an expired code is \
            never sent.
            """,
        subcommands: [List.self, Show.self, Retry.self, Discard.self, Watch.self],
        defaultSubcommand: List.self)

    /// `postern outbox list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists messages, the newest first.")

        /// Number of messages in one request.
        private static let pageSize = 500

        @Option(help: "Only messages in this state: queued, sending, waiting, sent or dead.")
        var state: NotificationV1.MessageState?

        @Option(help: "Only messages of this channel: email, sms or push.")
        var channel: NotificationV1.MessageChannel?

        @Option(help: "Only messages of this template.")
        var template = ""

        @Option(help: "Only messages to this recipient, masked as shown.")
        var recipient = ""

        @Option(help: "Maximum number of messages.")
        var limit = 50

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            var request = NotificationV1.ListMessagesRequest(
                state: state ?? .unspecified, channel: channel ?? .unspecified,
                template: template, recipient: recipient)
            var left = max(0, limit)
            try await services.outbox { outbox, caller in
                repeat {
                    request.pageSize = UInt32(clamping: max(1, min(left, Self.pageSize)))
                    let page = try await outbox.listMessages(request, caller.context)
                    for message in page.messages.prefix(left) { try Screen.item(message.line) }
                    left -= page.messages.count
                    request.page = page.nextPage
                } while left > 0 && !request.page.isEmpty
            }
        }
    }

    /// `postern outbox show MESSAGE`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one message and its failed attempts.")

        @Argument(help: "The message's id, as listed.")
        var message: String

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.ShowMessageRequest(messageId: message)
            try await services.outbox { outbox, caller in
                let answer = try await outbox.showMessage(request, caller.context)
                if let message = answer.message { Screen.line(message.line) }
                for failed in answer.failedTries { Screen.line(failed.line) }
            }
        }
    }

    /// `postern outbox retry MESSAGE…`.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Retries dead messages.",
            discussion: "Messages that have expired, were sent or are queued are not changed.")

        @Argument(help: "The messages' ids, as listed.")
        var messages: [String]

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.outbox(each: messages) { outbox, message, context in
                try await outbox.retryMessage(.init(messageId: message), context).message
            }
        }
    }

    /// `postern outbox discard MESSAGE…`.
    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Discards messages and wipes their content.",
            discussion: "A message that is being sent at this moment is not changed: repeat later.")

        @Argument(help: "The messages' ids, as listed.")
        var messages: [String]

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.outbox(each: messages) { outbox, message, context in
                try await outbox.discardMessage(.init(messageId: message), context).message
            }
        }
    }

    /// `postern outbox watch`.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the number of messages by state, and each change, until Ctrl-C.")

        private static let timeout = Duration.seconds(24 * 3_600)

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let services = services
            try await Interruption.cancels {
                try await services.outbox { outbox, caller in
                    let items = outbox.watchMessages(
                        .init(), caller.client.context(timeout: Self.timeout))
                    for try await item in items {
                        for line in item.lines { try Screen.item(line) }
                    }
                }
            }
        }
    }
}

extension EndpointsOption {
    /// Calls the notification service about its messages; prints its errors. A watch that Ctrl-C
    /// has cancelled prints none.
    fileprivate func outbox(
        _ body: (OutboxClient, Caller) async throws -> Void
    ) async throws {
        try await call("notification") { caller in
            do {
                try await body(OutboxClient(caller.client), caller)
            } catch let error as ServiceError where error.code == .cancelled && Task.isCancelled {
                return
            } catch is CancellationError {
                return
            }
        }
    }

    /// Changes messages one after the other, and prints the new state of each.
    fileprivate func outbox(
        each messages: [String],
        _ change: (OutboxClient, String, CallContext) async throws
            -> NotificationV1.MessageSummary?
    ) async throws {
        try await outbox { outbox, caller in
            for message in messages {
                let changed = try await change(outbox, message, caller.context)
                Screen.line(changed?.line ?? message)
            }
        }
    }
}

// MARK: Lines

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
