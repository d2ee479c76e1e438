import Contracts
import Messages
import RPC
import ServiceRuntime

/// Sends mails as identity does, over one long-lived connection, and reads their state as the
/// operator's tool does.
final class Sender: Sendable {
    private static let attemptsMax = 400
    private let identity: RPCClient
    private let tool: RPCClient

    /// A sender for a cluster's notification service.
    init(_ cluster: Cluster) throws {
        identity = try cluster.client(of: "notification", as: "identity")
        tool = try cluster.client(of: "notification", as: "tool")
    }

    func close() {
        identity.close()
        tool.close()
    }

    /// Sends a mail, and retries with the same key until it is acknowledged.
    /// - Returns: the id of the message.
    func send(to recipient: String, key: String) async throws -> String {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        let request = NotificationV1.SendEmailRequest(
            recipient: recipient, template: "verify-email", language: "en",
            variables: [.init(name: "link", value: "https://app.example/verify?token=\(key)")])
        var last: (any Error)?
        for _ in 0..<Self.attemptsMax {
            do {
                return try await NotificationsClient(identity).sendEmail(
                    request, identity.context(timeout: .seconds(2), metadata: metadata)
                ).messageId
            } catch {
                last = error
                try await Task.sleep(for: .milliseconds(25))
            }
        }
        throw last ?? ClusterError(message: "no attempt was made")
    }

    /// The state of a message.
    func message(_ id: String) async throws -> NotificationV1.MessageSummary? {
        try await OutboxClient(tool).showMessage(
            NotificationV1.ShowMessageRequest(messageId: id), tool.context(timeout: .seconds(10))
        ).message
    }
}
