import ArgumentParser
import Contracts
import Messages
import RPC

/// The service that `postern webhooks` calls.
struct WebhookTarget: ParsableArguments {
    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// What to do about a rejected field.
    private static let hints = [
        "url": """
        url: https, without user, password and fragment; the setting webhook-targets=any of \
        postern-notification allows http and private addresses too
        """,
        "events": "events: a name (session.started), a prefix and a star (session.*), or *",
        "webhook_id": "there is no such webhook; `postern webhooks` lists them",
    ]

    /// Calls notification; prints its errors and exits with 1.
    func ask<Answer>(
        _ question: (WebhooksClient, CallContext) async throws -> Answer
    ) async throws -> Answer {
        let caller = try OperatorCaller(endpoints, service: "notification")
        return try await OperatorCaller.telling(hints: Self.hints) {
            try await question(WebhooksClient(caller.client), caller.context)
        }
    }

    /// Pauses or resumes a webhook.
    func setPaused(_ paused: Bool, _ id: String) async throws {
        let request = NotificationV1.PauseWebhookRequest(webhookId: id, paused: paused)
        _ = try await ask { try await $0.pauseWebhook(request, $1) }
    }
}
