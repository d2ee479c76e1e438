import ArgumentParser
import Messages
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

        @Option(help: "Only messages in this state: queued, sending, waiting, sent or dead.")
        var state: MessageWord.State?

        @Option(help: "Only messages of this channel: email, sms or push.")
        var channel: MessageWord.Channel?

        @Option(help: "Only messages of this template.")
        var template = ""

        @Option(help: "Only messages to this recipient, masked as shown.")
        var recipient = ""

        @Option(help: "Maximum number of messages.")
        var limit = 50

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            try await OutboxCaller(endpoints).list(
                NotificationV1.ListMessagesRequest(
                    state: state?.wire ?? .unspecified, channel: channel?.wire ?? .unspecified,
                    template: template, recipient: recipient),
                limit: limit)
        }
    }

    /// `postern outbox show MESSAGE`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows one message and its failed attempts.")

        @Argument(help: "The message's id, as listed.")
        var message: String

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).show(message) }
    }

    /// `postern outbox retry MESSAGE…`.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Retries dead messages.",
            discussion: "Messages that have expired, were sent or are queued are not changed.")

        @Argument(help: "The messages' ids, as listed.")
        var messages: [String]

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).retry(messages) }
    }

    /// `postern outbox discard MESSAGE…`.
    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Discards messages and wipes their content.",
            discussion: "A message that is being sent at this moment is not changed: repeat later.")

        @Argument(help: "The messages' ids, as listed.")
        var messages: [String]

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).discard(messages) }
    }

    /// `postern outbox watch`.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the number of messages by state, and each change, until Ctrl-C.")

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            let caller = try OutboxCaller(endpoints)
            try await Interruption.cancels { try await caller.watch() }
        }
    }
}
