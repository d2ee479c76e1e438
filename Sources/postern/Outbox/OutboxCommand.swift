import ArgumentParser
import Messages
import ServiceRuntime

/// `postern outbox`: the messages on their way, and those that could not be delivered (N-03).
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Lists, retries, discards or follows messages.",
        discussion: """
            A message is queued, then sending, then sent; or waiting to be tried again; or dead. \
            What it says is shown nowhere, and recipients are masked: a…@e….org, +49…21.

              postern outbox --state dead          what could not be delivered, and why
              postern outbox show msg_…            every try that failed
              postern outbox retry msg_…           send a dead message after all
              postern outbox watch                 what happens, until Ctrl-C

            A dead message can be retried for seven days, or until it expires: an old code never \
            goes out again.
            """,
        subcommands: [List.self, Show.self, Retry.self, Discard.self, Watch.self],
        defaultSubcommand: List.self)

    /// `postern outbox list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows messages, the newest first.")

        @Option(help: "Only those that are queued, sending, waiting, sent or dead.")
        var state: MessageWord.State?

        @Option(help: "Only those that go by email, sms or push.")
        var channel: MessageWord.Channel?

        @Option(help: "Only those of this template.")
        var template = ""

        @Option(help: "Only those for this recipient, masked as it is shown.")
        var recipient = ""

        @Option(help: "How many at the most.")
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
            abstract: "Shows one message and the tries that failed.")

        @Argument(help: "The message, as the list shows it.")
        var message: String

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).show(message) }
    }

    /// `postern outbox retry MESSAGE…`.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends dead messages after all.",
            discussion: "What has expired, was sent or is on its way stays as it is.")

        @Argument(help: "The messages, as the list shows them.")
        var messages: [String]

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).retry(messages) }
    }

    /// `postern outbox discard MESSAGE…`.
    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives messages up and wipes what they say.",
            discussion: "One that is being tried just now stays as it is: ask again.")

        @Argument(help: "The messages, as the list shows them.")
        var messages: [String]

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws { try await OutboxCaller(endpoints).discard(messages) }
    }

    /// `postern outbox watch`.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows how many messages stand where, and each change, until Ctrl-C.")

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            let caller = try OutboxCaller(endpoints)
            try await Interruption.cancels { try await caller.watch() }
        }
    }
}
