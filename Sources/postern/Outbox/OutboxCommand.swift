import ArgumentParser
import Contracts
import JSON
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
              postern outbox retry msg_…           send a dead message again; --all for all
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
        fileprivate static let pageSize = 500

        @Option(help: "Only messages in this state: queued, sending, waiting, sent or dead.")
        var state: NotificationV1.MessageState?

        @Option(help: "Only messages of this channel: email, sms or push.")
        var channel: NotificationV1.MessageChannel?

        @Option(help: "Only messages of this template.")
        var template = ""

        @Option(help: "Only messages to this recipient; it may be masked as shown.")
        var recipient = ""

        @Option(help: "Maximum number of messages.")
        var limit = 50

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func validate() throws {
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000000")
            }
        }

        func run() async throws {
            var request = NotificationV1.ListMessagesRequest(
                state: state ?? .unspecified, channel: channel ?? .unspecified,
                template: template, recipient: recipient)
            var (left, writer) = (limit, output.writer)
            try await services.outbox { outbox, caller in
                repeat {
                    request.pageSize = UInt32(clamping: min(left, Self.pageSize))
                    let page = try await outbox.listMessages(request, caller.context)
                    try writer.write(page.messages.prefix(left).map(\.row))
                    left -= page.messages.count
                    request.page = page.nextPage
                } while left > 0 && !request.page.isEmpty
                try writer.finish()
                if !request.page.isEmpty { Screen.sayMore(than: limit) }
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
        @OptionGroup var output: OutputOption

        func run() async throws {
            let request = NotificationV1.ShowMessageRequest(messageId: message)
            try await services.outbox { outbox, caller in
                let answer = try await outbox.showMessage(request, caller.context)
                let json: JSONObject = [
                    "message": answer.message?.row.json ?? .null,
                    "failed_tries": .array(answer.failedTries.map(\.json)),
                ]
                try output.show(
                    .object(json),
                    text: (answer.message.map { [$0.row.line] } ?? [])
                        + answer.failedTries.map(\.line))
            }
        }
    }

    /// `postern outbox retry MESSAGE…`.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Retries dead messages.",
            discussion: """
                A message that is queued already is not changed. One that waits for its next try, \
                was sent, has expired or was discarded is not retried: the tool says so and exits \
                with 1.
                """)

        @Argument(help: "The messages' ids, as listed.")
        var messages: [String] = []

        @Flag(help: "All dead messages that can be retried.")
        var all = false

        @OptionGroup var services: EndpointsOption

        func validate() throws {
            guard messages.isEmpty == all else {
                throw ValidationError("name the messages, or all of them by --all")
            }
        }

        func run() async throws {
            let chosen = try await all ? services.retryableMessages() : messages
            if chosen.isEmpty { Screen.error("no message can be retried") }
            var isComplete = true
            try await services.outbox(each: chosen) { outbox, message, context in
                let answer = try await outbox.retryMessage(.init(messageId: message), context)
                guard let reason = answer.message?.reasonAgainstRetry else { return answer.message }
                Screen.error("\(message) is not retried: \(reason)")
                isComplete = false
                return answer.message
            }
            if !isComplete { throw ExitCode(1) }
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
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            try confirmation.confirm(
                "\(messages.joined(separator: ", ")) will not be sent, and the content is wiped")
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
        @OptionGroup var output: OutputOption

        func run() async throws {
            let (services, isJSON) = (services, output.isJSON)
            try await Interruption.cancels {
                try await services.outbox { outbox, caller in
                    let items = outbox.watchMessages(
                        .init(), caller.client.context(timeout: Self.timeout))
                    for try await item in items {
                        try (isJSON ? item.jsonLines : item.lines).forEach(Screen.item)
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
        let hints = [
            "message_id": "no message has this id; `postern outbox list` shows ids",
            "recipient": "a recipient is masked as `postern outbox list` shows it: a…@e….org",
        ]
        try await call("notification", hints: hints) { caller in
            do {
                try await body(OutboxClient(caller.client), caller)
            } catch let error as ServiceError where error.code == .cancelled && Task.isCancelled {
                return
            } catch is CancellationError {
                return
            }
        }
    }

    /// The ids of the dead messages that can be retried.
    fileprivate func retryableMessages() async throws -> [String] {
        var (ids, request) = (
            [String](),
            NotificationV1.ListMessagesRequest(
                state: .dead, pageSize: UInt32(OutboxCommand.List.pageSize))
        )
        try await outbox { outbox, caller in
            repeat {
                let page = try await outbox.listMessages(request, caller.context)
                ids += page.messages.filter(\.canBeRetried).map(\.messageId)
                request.page = page.nextPage
            } while !request.page.isEmpty
        }
        return ids
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
                Screen.line(changed?.row.line ?? message)
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
    /// As a line:
    /// `msg_…  dead     email  a…@e….org  verify-email  3 tries  smtp-550  at 2026-01-31T09:05:00Z`
    var row: Row {
        let tries = attempts == 1 ? "1 try" : "\(attempts) tries"
        return Row([
            .init("message_id", messageId, heading: "message"),
            .init(
                "state", .string(state.word), text: state.word,
                phrase: state.word.padded(to: 9) + channel.word),
            .init("channel", .string(channel.word), text: channel.word, phrase: ""),
            .init("recipient", recipient), .init("template", template),
            .init(
                "attempts", .integer(Int64(attempts)), text: "\(attempts)", phrase: tries,
                heading: "tries"),
            .init("reason", reason), .init("when", moment),
            .init(
                "can_be_retried", .boolean(canBeRetried), text: canBeRetried ? "yes" : "",
                phrase: canBeRetried ? "(can be retried)" : ""),
            .init(json: "accepted_at", .moment(acceptedAtMs)),
            .init(json: "due_at", .moment(dueAtMs)), .init(json: "ended_at", .moment(endedAtMs)),
        ])
    }

    /// Why `RetryMessage` left the message as it was; nil if it will be sent.
    var reasonAgainstRetry: String? {
        switch state {
        case .sent: "it was sent"
        case .dead: "it has expired, or failed more than seven days ago, or was discarded"
        case .waiting:
            "it waits for its next try, at \(Timestamp(milliseconds: dueAtMs).text); only dead "
                + "messages can be retried"
        default: nil
        }
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

    var json: JSONValue {
        .object([
            "attempt": .integer(Int64(attempt)), "at": .moment(atMs), "reason": .string(reason),
        ])
    }
}

extension NotificationV1.WatchMessagesItem {
    /// The changes, one object each.
    var jsonLines: [String] { changes.map { JSONWriter.text($0.row.json, .shown) } }

    /// The changes, one line each, and then the number of messages by state.
    var lines: [String] {
        let missed = changesLeftOut == 0 ? [] : ["… \(changesLeftOut) more changes"]
        let numbers = NotificationV1.MessageState.words.filter { $0.key != .sent }.map { state in
            "\(counts.first { $0.state == state.key }?.count ?? 0) \(state.value)"
        }
        return missed + changes.map(\.row.line) + ["-- " + numbers.joined(separator: ", ")]
    }
}
