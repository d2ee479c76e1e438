import ArgumentParser
import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime

/// `postern webhooks`: events to the operator's URLs.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Manages webhooks, which send events to your URLs.",
        discussion: """
            Each event is a POST, signed as in the Standard Webhooks specification: verify \
            webhook-signature over "<webhook-id>.<webhook-timestamp>.<body>" with the secret that \
            `add` prints, and store webhook-id, since an event may be delivered twice. Events of \
            one account are delivered in order. If a receiver does not answer 2xx, the event is \
            retried for three days.
            """,
        subcommands: [
            List.self, Add.self, Remove.self, RotateSecret.self, Pause.self, Resume.self,
            Replay.self,
        ],
        defaultSubcommand: List.self)

    /// `postern webhooks list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all webhooks.")

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            let answer = try await services.webhooks { try await $0.listWebhooks(.init(), $1) }
            if answer.webhooks.isEmpty, !output.isJSON {
                return Screen.line("no webhooks; `postern webhooks add URL` adds one")
            }
            try output.show(answer.webhooks.map(\.row))
        }
    }

    /// `postern webhooks add URL`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a webhook for events from now on, and prints its secret, once.")

        @Argument(help: "An https URL; others only with the setting webhook-targets=any.")
        var url: String

        @Option(
            parsing: .upToNextOption,
            help: "Events: names (session.started) or prefixes (session.*); none means all.")
        var events: [String] = []

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.AddWebhookRequest(url: url, events: events)
            let answer = try await services.webhooks { try await $0.addWebhook(request, $1) }
            (answer.webhook?.row.line).map(Screen.line)
            Screen.line("secret: \(answer.secret)")
        }
    }

    /// `postern webhooks remove ID`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a webhook and the events that wait for it.")

        @Argument(help: "The webhook's id, whk_….") var id: String
        @OptionGroup var services: EndpointsOption
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            try confirmation.confirm("\(id) and the events that wait for it are deleted")
            _ = try await services.webhooks {
                try await $0.removeWebhook(.init(webhookId: id), $1)
            }
        }
    }

    /// `postern webhooks rotate-secret ID`.
    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a new secret and prints it; the old one signs too for a day.")

        @Argument(help: "The webhook's id, whk_….") var id: String
        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let answer = try await services.webhooks {
                try await $0.rotateWebhookSecret(.init(webhookId: id), $1)
            }
            Screen.line("secret: \(answer.secret)")
            let until = Timestamp(milliseconds: answer.formerUntilMs).text
            Screen.line("the former secret signs too until \(until)")
        }
    }

    /// `postern webhooks pause ID`.
    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pauses a webhook; its events wait while they are stored (7 days).")

        @Argument(help: "The webhook's id, whk_….") var id: String
        @OptionGroup var services: EndpointsOption

        func run() async throws { try await services.setPaused(true, id) }
    }

    /// `postern webhooks resume ID`.
    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Resumes a webhook.")

        @Argument(help: "The webhook's id, whk_….") var id: String
        @OptionGroup var services: EndpointsOption

        func run() async throws { try await services.setPaused(false, id) }
    }

    /// `postern webhooks replay ID`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends events again, in order, with their original ids.")

        @Argument(help: "The webhook's id, whk_….") var id: String

        @Option(
            help: "Events after this position (data.position of an event); 7 days are stored.")
        var after: Int64 = 0

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.ReplayWebhookRequest(webhookId: id, after: after)
            let answer = try await services.webhooks { try await $0.replayWebhook(request, $1) }
            Screen.line("\(answer.events) events are queued")
        }
    }
}

extension EndpointsOption {
    /// What to do about a rejected field.
    private static let webhookHints = [
        "url": """
        url: https, without user, password and fragment; the setting webhook-targets=any of \
        postern-notification allows http and private addresses too
        """,
        "events": "events: a name (session.started), a prefix and a star (session.*), or *",
        "webhook_id": "there is no such webhook; `postern webhooks` lists them",
    ]

    /// Calls the notification service about webhooks; prints its errors.
    fileprivate func webhooks<Answer>(
        _ question: (WebhooksClient, CallContext) async throws -> Answer
    ) async throws -> Answer {
        try await call("notification", hints: Self.webhookHints) { caller in
            try await question(WebhooksClient(caller.client), caller.context)
        }
    }

    /// Pauses or resumes a webhook.
    fileprivate func setPaused(_ paused: Bool, _ id: String) async throws {
        let request = NotificationV1.PauseWebhookRequest(webhookId: id, paused: paused)
        _ = try await webhooks { try await $0.pauseWebhook(request, $1) }
    }
}

extension NotificationV1.Webhook {
    /// As a line: `whk_…  https://…  session.* account.*  12 waiting  paused`
    var row: Row {
        Row([
            .init("webhook_id", webhookId, heading: "webhook"), .init("url", url),
            .init(
                "events", .array(events.map { .string($0) }), text: events.joined(separator: " ")),
            .init(
                "waiting", .integer(Int64(clamping: waiting)), text: "\(waiting)",
                phrase: "\(waiting) waiting"),
            .init(
                "paused", .boolean(isPaused), text: isPaused ? "yes" : "",
                phrase: isPaused ? "paused" : ""),
            .init(
                "last_failure", .string(lastFailure), text: lastFailure,
                phrase: lastFailure.isEmpty ? "" : "last try: \(lastFailure)"),
        ])
    }
}
