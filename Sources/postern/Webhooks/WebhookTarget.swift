import ArgumentParser
import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Where `postern webhooks` asks.
struct WebhookTarget: ParsableArguments {
    private static let patience = Duration.seconds(10)

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// What to do about a field that was refused.
    private static let hints = [
        "url": """
        url: https, without user, password and fragment; the setting webhook-targets=any of \
        postern-notification allows http and private addresses too
        """,
        "events": "events: a name (session.started), a beginning and a star (session.*), or *",
        "webhook_id": "there is no such webhook; `postern webhooks` lists them",
    ]

    /// Asks notification; shows what it refuses, and ends the program then.
    func ask<Answer>(
        _ question: (WebhooksClient, CallContext) async throws -> Answer
    ) async throws -> Answer {
        let client = RPCClient(
            try Endpoints(endpoints).client(of: "notification"),
            group: MultiThreadedEventLoopGroup.singleton, time: SystemTime(),
            randomness: SecureRandomness())
        do {
            return try await question(
                WebhooksClient(client), client.context(timeout: Self.patience))
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            for field in error.fields { Self.hints[field].map(Screen.line) }
            throw ExitCode(1)
        }
    }

    /// Holds a webhook back, or lets it go on.
    func setPaused(_ paused: Bool, _ id: String) async throws {
        let request = NotificationV1.PauseWebhookRequest(webhookId: id, paused: paused)
        _ = try await ask { try await $0.pauseWebhook(request, $1) }
    }
}
