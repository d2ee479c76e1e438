import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern webhooks`: events to URLs of yours.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "Sends events to URLs of yours: lists, adds, removes, replays.",
        discussion: """
            Each event is a POST, signed as the Standard Webhooks specification has it: verify \
            webhook-signature over "<webhook-id>.<webhook-timestamp>.<body>" with the secret that \
            `add` shows, and keep webhook-id, since an event may come twice. Events of one account \
            come in order. A receiver that does not answer 2xx is asked again for three days.
            """,
        subcommands: [
            List.self, Add.self, Remove.self, RotateSecret.self, Pause.self, Resume.self,
            Replay.self,
        ],
        defaultSubcommand: List.self)

    /// `postern webhooks list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows all, and how they do.")

        @OptionGroup var target: WebhookTarget

        func run() async throws {
            let answer = try await target.ask { webhooks, context in
                try await webhooks.listWebhooks(NotificationV1.ListWebhooksRequest(), context)
            }
            if answer.webhooks.isEmpty {
                Screen.line("no webhooks; `postern webhooks add URL` adds one")
            }
            for webhook in answer.webhooks { webhook.lines.forEach(Screen.line) }
        }
    }

    /// `postern webhooks add URL`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends events to a URL from now on, and shows the secret, once.")

        @Argument(help: "https; others only with the setting webhook-targets=any.")
        var url: String

        @Option(
            parsing: .upToNextOption,
            help: "Which: names (session.started), beginnings (session.*); none means all.")
        var events: [String] = []

        @OptionGroup var target: WebhookTarget

        func run() async throws {
            let request = NotificationV1.AddWebhookRequest(url: url, events: events)
            let answer = try await target.ask { try await $0.addWebhook(request, $1) }
            answer.webhook?.lines.forEach(Screen.line)
            Screen.line("secret: \(answer.secret)")
        }
    }

    /// `postern webhooks remove ID`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes one away, and what waits for it.")

        @Argument(help: "whk_…, as the list shows it.") var id: String
        @OptionGroup var target: WebhookTarget

        func run() async throws {
            let request = NotificationV1.RemoveWebhookRequest(webhookId: id)
            _ = try await target.ask { try await $0.removeWebhook(request, $1) }
        }
    }

    /// `postern webhooks rotate-secret ID`.
    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a new secret and shows it; the old one signs too for a day.")

        @Argument(help: "whk_…, as the list shows it.") var id: String
        @OptionGroup var target: WebhookTarget

        func run() async throws {
            let request = NotificationV1.RotateWebhookSecretRequest(webhookId: id)
            let answer = try await target.ask { try await $0.rotateWebhookSecret(request, $1) }
            Screen.line("secret: \(answer.secret)")
            let until = Timestamp(milliseconds: answer.formerUntilMs).text
            Screen.line("the former one signs too until \(until)")
        }
    }

    /// `postern webhooks pause ID`.
    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Holds one back; its events wait, as long as they are kept (7 days).")

        @Argument(help: "whk_…, as the list shows it.") var id: String
        @OptionGroup var target: WebhookTarget

        func run() async throws { try await target.setPaused(true, id) }
    }

    /// `postern webhooks resume ID`.
    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lets one go on.")

        @Argument(help: "whk_…, as the list shows it.") var id: String
        @OptionGroup var target: WebhookTarget

        func run() async throws { try await target.setPaused(false, id) }
    }

    /// `postern webhooks replay ID`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends events once more, in order, under their former ids.")

        @Argument(help: "whk_…, as the list shows it.") var id: String

        @Option(
            help: "Everything after this position (data.position of an event); 7 days are kept.")
        var after: Int64 = 0

        @OptionGroup var target: WebhookTarget

        func run() async throws {
            let request = NotificationV1.ReplayWebhookRequest(webhookId: id, after: after)
            let answer = try await target.ask { try await $0.replayWebhook(request, $1) }
            Screen.line("\(answer.events) events are on their way")
        }
    }
}

extension NotificationV1.Webhook {
    /// `whk_…  https://…  session.* account.*  12 waiting  paused`
    fileprivate var lines: [String] {
        var line = "\(webhookId)  \(url)  \(events.joined(separator: " "))  \(waiting) waiting"
        if isPaused { line += "  paused" }
        return lastFailure.isEmpty ? [line] : [line, "    last try: \(lastFailure)"]
    }
}
