import ServiceRuntime
import Storage
import Synchronization

@testable import NotificationService

/// A route that records its messages and returns the outcomes that a test chooses.
final class RecordingRoute: MessageRoute {
    private struct State {
        var messages: [OutgoingMessage] = []
        var readiness = RouteReadiness.ready(.max)
        var dead: Set<DeadAddress> = []
    }

    private let state = Mutex(State())
    private let answer: @Sendable (OutgoingMessage) async -> DeliveryOutcome

    init(_ answer: @escaping @Sendable (OutgoingMessage) async -> DeliveryOutcome = { _ in .taken })
    {
        self.answer = answer
    }

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        state.withLock { $0.messages.append(message) }
        return await answer(message)
    }

    var readiness: RouteReadiness {
        get { state.withLock { $0.readiness } }
        set { state.withLock { $0.readiness = newValue } }
    }

    func suppress(_ address: DeadAddress, in transaction: Transaction) throws {
        // A transaction can be run again, so its addresses are a set.
        state.withLock { _ = $0.dead.insert(address) }
        try transaction.audit(AuditEvent(.messageDead, subject: address.recipient))
    }

    var messages: [OutgoingMessage] { state.withLock { $0.messages } }
    var dead: Set<DeadAddress> { state.withLock { $0.dead } }

    /// The recipients of the mails it was called for, in order.
    var recipients: [String] {
        messages.compactMap { message in
            if case .email(let order) = message.content { order.recipient.text } else { nil }
        }
    }
}
